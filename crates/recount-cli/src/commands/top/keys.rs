//! Handles keys.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use recount::Timestamp;

use super::app::{App, Mode};
use super::prompt::{Chooser, Prompt, PromptedFor, push};

/// What the loop does after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Go,
    Quit,
}

impl App {
    /// Executes the command of a key.
    pub(super) fn on_key(&mut self, key: KeyEvent) -> Next {
        self.message = None;
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return Next::Quit;
        }
        match std::mem::replace(&mut self.mode, Mode::Table) {
            Mode::Table => return self.on_table_key(key.code),
            Mode::Prompt(prompt) => self.on_prompt_key(prompt, key.code),
            Mode::Objects(chooser) => self.on_chooser_key(chooser, key.code),
            // Any key ends it.
            Mode::Help => {}
        }
        Next::Go
    }

    fn on_table_key(&mut self, code: KeyCode) -> Next {
        let page = self.num_visible.max(1) as isize;
        match code {
            KeyCode::Char('q') => return Next::Quit,
            KeyCode::Char('t') => self.step(1),
            KeyCode::Char('T') => self.step(-1),
            KeyCode::Home => self.go_to(Timestamp(i64::MIN)),
            KeyCode::End => self.go_to(Timestamp(i64::MAX)),
            KeyCode::Up | KeyCode::Char('k') => self.move_cursor(-1),
            KeyCode::Down | KeyCode::Char('j') => self.move_cursor(1),
            KeyCode::PageUp => self.move_cursor(-page),
            KeyCode::PageDown => self.move_cursor(page),
            KeyCode::Left | KeyCode::Char('<') => self.change_sort(-1),
            KeyCode::Right | KeyCode::Char('>') => self.change_sort(1),
            KeyCode::Char('i') => self.hides_idle = !self.hides_idle,
            KeyCode::Char('r') => self.is_reversed = !self.is_reversed,
            KeyCode::Char('b') => self.ask(PromptedFor::Time, String::new()),
            KeyCode::Char('/') => self.ask(PromptedFor::Filter, self.filter.clone()),
            KeyCode::Char('o') => self.mode = Mode::Objects(Chooser::default()),
            KeyCode::Char('h' | '?') => self.mode = Mode::Help,
            KeyCode::Esc => self.filter.clear(),
            _ => {}
        }
        Next::Go
    }

    fn ask(&mut self, asked: PromptedFor, text: String) {
        self.mode = Mode::Prompt(Prompt { asked, text });
    }

    fn on_prompt_key(&mut self, mut prompt: Prompt, code: KeyCode) {
        match code {
            KeyCode::Esc => {
                if prompt.asked == PromptedFor::Filter {
                    self.filter.clear();
                }
                return;
            }
            KeyCode::Enter => {
                match prompt.asked {
                    PromptedFor::Time if !prompt.text.is_empty() => self.go_to_text(&prompt.text),
                    PromptedFor::Time => {}
                    PromptedFor::Filter => self.filter = prompt.text,
                }
                return;
            }
            KeyCode::Backspace => {
                prompt.text.pop();
            }
            KeyCode::Char(c) => push(&mut prompt.text, c),
            _ => {}
        }
        if prompt.asked == PromptedFor::Filter {
            // Rows are filtered as the user types.
            self.filter.clone_from(&prompt.text);
        }
        self.mode = Mode::Prompt(prompt);
    }

    fn on_chooser_key(&mut self, mut chooser: Chooser, code: KeyCode) {
        let num = chooser.found(&self.session.objects).len();
        match code {
            KeyCode::Esc => return,
            KeyCode::Enter => {
                let object = chooser
                    .found(&self.session.objects)
                    .get(chooser.selected)
                    .map(|object| object.name.clone());
                if let Some(object) = object {
                    self.choose_object(&object);
                }
                return;
            }
            KeyCode::Up => chooser.selected = chooser.selected.saturating_sub(1),
            KeyCode::Down => chooser.selected = (chooser.selected + 1).min(num.saturating_sub(1)),
            KeyCode::Backspace => {
                chooser.text.pop();
                chooser.selected = 0;
            }
            KeyCode::Char(c) => {
                push(&mut chooser.text, c);
                chooser.selected = 0;
            }
            _ => {}
        }
        self.mode = Mode::Objects(chooser);
    }
}
