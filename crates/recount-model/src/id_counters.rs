//! Counters whose values are the ids of processes and threads: they say which process an instance is.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::{CounterDef, fold_name};

/// The counter of `Process` that says how many ended processes an instance stands for (`formats/linux-objects.md#processes-that-ended`).
pub const ENDED_PROCESSES: &str = "Ended Processes";

/// `ID Process` of `Process`, `Thread` and others, and `Process ID` of `.NET CLR Memory`, in the languages of Windows. The id
/// of the process that created another (`Creating Process ID`) isn't one of them.
const PROCESS: [&str; 33] = [
    "ID Process",
    "Process ID",
    "ID procesu",
    "Proces-id",
    "ID de processus",
    "ID du processus",
    "Identificateur de processus",
    "Identificateur du processus",
    "Prozesskennung",
    "Prozess-ID",
    "Folyamat azonosítója (ID)",
    "Folyamatazonosító",
    "ID processo",
    "Identyfikator procesu",
    "Processo de identificação",
    "Processo de identificaçao",
    "Identificação do Processo",
    "Identificaçao do Processo",
    "Identificador de processo",
    "Identificador do processo",
    "ID do Processo",
    "ID de Processo",
    "Id. de proceso",
    "Id. del proceso",
    "Identificador de proceso",
    "Process-ID",
    "İşlem Kimliği",
    "Идентификатор процесса",
    "プロセス ID",
    "进程 ID",
    "處理序識別碼",
    "프로세스 ID",
    "Prosessitunnus",
];

/// `ID Thread` of `Thread`.
const THREAD: [&str; 21] = [
    "ID Thread",
    "Thread ID",
    "ID vlákna",
    "Thread-id",
    "Nº de thread",
    "ID de thread",
    "Identificateur de thread",
    "Threadkennung",
    "Végrehajtási szál azonosítója (ID)",
    "Identyfikator wątku",
    "Thread de identificação",
    "Thread de identificaçao",
    "Identificador de thread",
    "Id. de subproceso",
    "Tråd-ID",
    "İş Parçacığı Kimliği",
    "Идентификатор потока",
    "スレッド ID",
    "线程 ID",
    "執行緒識別碼",
    "스레드 ID",
];

/// Whether the values of a counter of this name are ids of processes, each that of the instance itself.
pub fn is_process_id(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| folded(&PROCESS));
    NAMES.contains(&fold_name(name))
}

/// Whether the values of a counter of this name are ids of threads.
pub fn is_thread_id(name: &str) -> bool {
    static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| folded(&THREAD));
    NAMES.contains(&fold_name(name))
}

fn folded(names: &[&str]) -> HashSet<String> {
    names.iter().map(|name| fold_name(name)).collect()
}

/// The counters that distinguish the instances of an object, as indices: the id of the process, and then that of the
/// thread.
pub fn id_counters(counters: &[CounterDef]) -> Vec<usize> {
    let named = |is_id: fn(&str) -> bool| counters.iter().position(|counter| is_id(&counter.name));
    [named(is_process_id), named(is_thread_id)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_known_in_other_languages() {
        let counters = |names: &[&str]| -> Vec<CounterDef> {
            names.iter().map(|name| CounterDef { name: (*name).into(), ..CounterDef::default() }).collect()
        };
        let ids = |names: &[&str]| id_counters(&counters(names));
        assert_eq!(ids(&["% Processor Time", "ID Thread", "id process"]), [2, 1]);
        assert_eq!(ids(&["Prozesskennung erstellen", "Prozesskennung"]), [1]);
        assert_eq!(ids(&["Creating Process ID", "Working Set"]), []);
        assert_eq!(ids(&["# Gen 0 Collections", "Process ID"]), [1]);
        assert_eq!(ids(&["Идентификатор процесса"]), [0]);
        // Code pages lose the accents of some letters.
        assert_eq!(ids(&["Islem Kimligi", "Is Parçacigi Kimligi"]), [0, 1]);
    }
}
