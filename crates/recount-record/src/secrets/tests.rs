//! What is masked in command lines, and what isn't.

use super::*;

fn line(text: &str) -> String {
    masked(text.split('|')).join("|")
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table: one row per command line")]
fn what_is_marked_as_a_secret_is_masked() {
    for (given, expected) in [
        ("x|--password|hunter2|--user|eve", "x|--password|***|--user|eve"),
        ("x|--password=hunter2", "x|--password=***"),
        ("x|--db-password|a b|y", "x|--db-password|***|y"),
        ("x|--dbPassword=s", "x|--dbPassword=***"),
        ("x|-password|s", "x|-password|***"),
        ("x|/password:s", "x|/password:***"),
        ("x|--token|s|--api-key=s|--secret|s", "x|--token|***|--api-key=***|--secret|***"),
        ("env|PGPASSWORD=s|psql|-h|db", "env|PGPASSWORD=***|psql|-h|db"),
        ("PGPASSWORD=s|psql", "PGPASSWORD=***|psql"),
        ("AWS_SECRET_ACCESS_KEY=s|aws", "AWS_SECRET_ACCESS_KEY=***|aws"),
        ("x|MYSQL_PWD=s", "x|MYSQL_PWD=***"),
        ("docker|run|-e|DB_PASS=s|image", "docker|run|-e|DB_PASS=***|image"),
        ("sudo|-u|eve|mysql|-phunter2", "sudo|-u|eve|mysql|-p***"),
        ("sh|-c|cd x; PGPASSWORD='a b' psql", "sh|-c|cd x; PGPASSWORD=*** psql"),
        ("sh|-c|curl -H 'Authorization: Bearer abc' x", "sh|-c|curl -H 'Authorization: Bearer ***' x"),
        ("sh|-c|echo it's --token abc", "sh|-c|echo it's --token ***"),
        ("mysql|-phunter2|-u|root", "mysql|-p***|-u|root"),
        ("/usr/bin/sshpass|-ps|ssh|host", "/usr/bin/sshpass|-p***|ssh|host"),
        ("curl|-u|eve:s|http://x/", "curl|-u|eve:***|http://x/"),
        ("curl|-ueve:s", "curl|-ueve:***"),
        ("smbclient|-U|eve%s", "smbclient|-U|eve%***"),
        ("redis-cli|-a|s|ping", "redis-cli|-a|***|ping"),
        ("x|postgres://eve:s@db/x?a=1", "x|postgres://eve:***@db/x?a=1"),
        ("x|--url=https://eve:s@host", "x|--url=https://eve:***@host"),
        ("x|https://eve:a@b/c@host/", "x|https://eve:***@host/"),
        ("x|https://host/?a=1&token=s", "x|https://host/?a=1&token=***"),
        ("curl|-H|Authorization: Bearer abc.def", "curl|-H|Authorization: Bearer ***"),
        ("curl|-H|X-Api-Key: 123", "curl|-H|X-Api-Key: ***"),
        (
            "sh|-c|PGPASSWORD='s' psql --token s2 | cat".replace(" | ", " ; ").as_str(),
            "sh|-c|PGPASSWORD=*** psql --token *** ; cat",
        ),
        (
            "x|--passwords=s|--api-keys=s|--access-keys|s",
            "x|--passwords=***|--api-keys=***|--access-keys|***",
        ),
        ("x|--password=a b|y", "x|--password=***|y"),
        ("x|/password:a b|y", "x|/password:***|y"),
        ("env|PGPASSWORD=a b|psql", "env|PGPASSWORD=***|psql"),
        ("x|--conn=Server=a;Password=b c;Port=1", "x|--conn=Server=a;Password=***;Port=1"),
        ("x|--exec=y --token s", "x|--exec=y --token ***"),
        ("sh|-c|x --password='a b' y", "sh|-c|x --password=*** y"),
        ("x|--x=ghp_0123456789abcdefghij", "x|--x=***"),
        ("x|--x=a,ghp_0123456789abcdefghij", "x|--x=a,***"),
        ("X=ghp_0123456789abcdefghij|x|y:AKIAIOSFODNN7EXAMPLE", "X=***|x|y:***"),
        ("x|https://h/?a=ghp_0123456789abcdefghij", "x|https://h/?a=***"),
        ("curl|-su|bob:s|x", "curl|-su|bob:***|x"),
        ("curl|-sSubob:s|x", "curl|-sSubob:***|x"),
        ("curl|--user|bob:s|--proxy-user=bob:s", "curl|--user|bob:***|--proxy-user=bob:***"),
        ("curl|-u|bob:my pass|x", "curl|-u|bob:***|x"),
        ("ldapsearch|-xw|s|-b|dc", "ldapsearch|-xw|***|-b|dc"),
        ("curl|-H|Authorization: token s", "curl|-H|Authorization: token ***"),
        ("curl|-H|authorization:s", "curl|-H|authorization:***"),
        ("curl|-H|Authorization: s t", "curl|-H|Authorization: ***"),
        ("curl|-H|Authorization: Digest username=\"u\", response=\"s\"", "curl|-H|Authorization: Digest ***"),
        ("curl|-HCookie: a=s; b=s|x", "curl|-HCookie: ***|x"),
        ("curl|--header=Cookie: a=s; b=s", "curl|--header=Cookie: ***"),
        ("curl|-H|Cookie:a=s", "curl|-H|Cookie:***"),
        ("x|Authorization:|token|s|y", "x|Authorization:|token|***|y"),
        ("sh|-c|curl -H 'Cookie: a=s; b=s' -su bob:s x", "sh|-c|curl -H 'Cookie: ***' -su bob:*** x"),
        ("curl|-H|X-Api-Key: a b", "curl|-H|X-Api-Key: ***"),
        ("x|AKIAIOSFODNN7EXAMPLE", "x|***"),
        ("x|ghp_0123456789abcdefghij", "x|***"),
        ("x|--conn=Server=a;Password=s;Port=1", "x|--conn=Server=a;Password=***;Port=1"),
        ("docker|login|-u|eve|-p|s|registry", "docker|login|-u|eve|-p|***|registry"),
        ("docker|--config|x|login|-ps", "docker|--config|x|login|-p***"),
        ("sudo|podman|login|-p|s", "sudo|podman|login|-p|***"),
        ("helm|registry|login|-p|s", "helm|registry|login|-p|***"),
        (
            "sh|-c|docker login -u eve -p s && docker run -p 80:80 x",
            "sh|-c|docker login -u eve -p *** && docker run -p 80:80 x",
        ),
        ("mongosh|-u|eve|-p|s", "mongosh|-u|eve|-p|***"),
        ("sqlcmd|-S|db|-U|sa|-P|s", "sqlcmd|-S|db|-U|sa|-P|***"),
        ("mysqlcheck|-ps|db", "mysqlcheck|-p***|db"),
        ("unzip|-qP|s|a.zip", "unzip|-qP|***|a.zip"),
        ("7z|x|-ps|a.7z", "7z|x|-p***|a.7z"),
        ("snmpwalk|-v2c|-c|s|host", "snmpwalk|-v2c|-c|***|host"),
        ("git|clone|https://abcdef0123@github.com/a/b", "git|clone|https://***@github.com/a/b"),
        ("pip|install|git+https://abc@h/a", "pip|install|git+https://***@h/a"),
        ("x|https://abc:@h/|https://abc:x-oauth-basic@h/", "x|https://***:***@h/|https://***:***@h/"),
        ("curl|-u|sk_live_0123456789abc:|https://h", "curl|-u|***:|https://h"),
        (
            "x|https://a.blob.core.windows.net/c?sv=2022&se=2026&sig=a%2Bb%3D",
            "x|https://a.blob.core.windows.net/c?sv=2022&se=2026&sig=***",
        ),
        ("x|https://h/o?X-Amz-Date=1&X-Amz-Signature=0a", "x|https://h/o?X-Amz-Date=1&X-Amz-Signature=***"),
        ("x|https://h/#access_token=s&a=1", "x|https://h/#access_token=***&a=1"),
        ("x|--sas|sv=2022&sp=r&sig=s", "x|--sas|sv=2022&sp=r&sig=***"),
        ("x|?sv=2022&sig=s", "x|?sv=2022&sig=***"),
        (
            "x|--c=AccountName=a;AccountKey=s==;EndpointSuffix=x",
            "x|--c=AccountName=a;AccountKey=***;EndpointSuffix=x",
        ),
        (
            "x|AIza0123456789abcdef|hf_0123456789abcdef|SG.0123456789.abcdef|xoxa-0123456789ab",
            "x|***|***|***|***",
        ),
        ("x|npm_0123456789abcdef|--x=hvs.0123456789abcdef|dckr_pat_0123456789", "x|***|--x=***|***"),
    ] {
        assert_eq!(line(given), expected, "{given}");
    }
}

#[test]
fn everything_else_stays() {
    for given in [
        "make|-j8|all",
        "tar|-p|-xf|a.tar",
        "ssh|-p|2222|eve@host",
        "grep|-u|a:b|file",
        "x|--bypass|yes|--compass=north",
        "x|--password-file|/etc/secret.txt",
        "x|--pattern=a|--patch|b",
        "git|clone|https://github.com/a/b",
        "git|clone|git@github.com:a/b",
        "x|a=b|c:d|http://h:80/p",
        "x|http://h:80/a@b|https://h/a:b@c",
        "sh|-c|echo  two  spaces; exit 7",
        "docker|run|--user|1000:1000|image",
        "curl|-o|u:x|-sSL|http://h/",
        "x|a note: see the cookie jar|--x=a b c",
        "x|--password|--user|eve",
        "docker|run|-p|80:80|image",
        "docker|ps",
        "x|ssh://git@host/a|sftp://eve@host",
        "gpg|--verify|--signature=a.sig|b|a.sig:b",
        "x|https://h/?signal=1&design=2&sign=3#part",
        "hf_short|SG.x|AIza",
        "mysql|-p|db",
        "basename|basics",
        "",
    ] {
        assert_eq!(line(given), given);
    }
}

#[test]
fn shells_and_programs_with_their_own_ways_are_known() {
    for (given, expected) in [
        ("sh|-c|a&&curl -u a:s x", "sh|-c|a&&curl -u a:*** x"),
        ("sh|-c|$(mysql -ps)", "sh|-c|$(mysql -p***"),
        ("sh|-c|(mysql -ps)", "sh|-c|(mysql -p***"),
        ("sh|-c|`mysql -ps`", "sh|-c|`mysql -p***"),
        ("sh|-c|a=1;mysql -ps", "sh|-c|a=1;mysql -p***"),
        ("sh|-c|curl -u a:s;mysql -ps", "sh|-c|curl -u a:*** -p***"),
        ("sh|-c|x --y=$(/usr/bin/mysql -ps db)", "sh|-c|x --y=$(/usr/bin/mysql -p*** db)"),
        ("sh|-c|x=\"$(mysql -ps db)\" y", "sh|-c|x=\"$(mysql -p*** db)\" y"),
        ("curl|-b|session=s|x", "curl|-b|***|x"),
        ("curl|-sbsession=s|x", "curl|-sb***|x"),
        ("curl|--cookie|session=s|-u|a:s", "curl|--cookie|***|-u|a:***"),
        (
            "curl|--oauth2-bearer|s|-E|cert:s|--cert|c:s|x",
            "curl|--oauth2-bearer|***|-E|cert:***|--cert|c:***|x",
        ),
        ("xfreerdp|/u:a|/p:s|/v:h", "xfreerdp|/u:a|/p:***|/v:h"),
        ("openssl|enc|-aes-256-cbc|-k|s|-in|x", "openssl|enc|-aes-256-cbc|-k|***|-in|x"),
        ("htpasswd|-b|file|user|s", "htpasswd|-b|file|user|***"),
        ("htpasswd|-nbB|user|s", "htpasswd|-nbB|user|***"),
        ("htpasswd|-bBC|10|file|user|s", "htpasswd|-bBC|10|file|user|***"),
        ("vault|login|s", "vault|login|***"),
        ("vault|login|-no-store|s", "vault|login|-no-store|***"),
        ("npm|config|set|//r.org/:_authToken|s", "npm|config|set|//r.org/:_authToken|***"),
        ("aws|configure|set|aws_secret_access_key|s", "aws|configure|set|aws_secret_access_key|***"),
        ("env|SSHPASS=s|MYPASS=s|DBPWD=s|x", "env|SSHPASS=***|MYPASS=***|DBPWD=***|x"),
        ("x|--dbPass=s|--dbpass|s", "x|--dbPass=***|--dbpass|***"),
        ("x|Driver=a;PWD=s", "x|Driver=a;PWD=***"),
        ("x|-----BEGIN PRIVATE KEY-----\nab cd\n-----END PRIVATE KEY-----\n", "x|***\n"),
        ("x|--key=-----BEGIN RSA PRIVATE KEY-----\nab|y", "x|--key=***|y"),
        ("sh|-c|PGPASSWORD=s x '-----BEGIN PRIVATE KEY-----ab", "sh|-c|PGPASSWORD=*** x '***"),
        ("x|--token|512|--password|512", "x|--token|***|--password|***"),
    ] {
        assert_eq!(line(given), expected, "{given}");
    }
    assert_eq!(masked(["sh", "-c", "a|mysql -ps"]), ["sh", "-c", "a|mysql -p***"]);
}

#[test]
fn numbers_files_and_directories_are_not_secrets() {
    for given in [
        "x|--max-tokens|512|--tokens|512|--num-tokens=5|--max_new_tokens|7",
        "x|MAX_TOKENS=512|n_tokens:7",
        "x|--no-password|db",
        "x|PWD=/tmp|OLDPWD=/x",
        "ffmpeg|-pass|1|-i|a",
        "curl|-b|cookies.txt|-E|cert.pem|x",
        "openssl|enc|-kfile|x",
        "openssl|x509|-k|x",
        "htpasswd|file|user|x",
        "vault|read|x|login",
        "x|set|-e|y|set|password",
        "x|-----BEGIN CERTIFICATE-----\nab",
        "sh|-c|a|wc -p1;cut -pb",
    ] {
        assert_eq!(line(given), given);
    }
}
