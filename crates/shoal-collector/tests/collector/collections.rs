//! Collections: what an operator may ask for, by HTTP and by the commands, and who may ask.

use std::path::Path;

use serde_json::json;
use shoal_collector::admin::Admin;
use shoal_collector::{Collection, CollectorError, Server};

use crate::place::{Place, crowd, design, exchange, settings, taken};

#[test]
fn a_collection_is_created_shown_closed_and_deleted_by_http() {
    let place = Place::new();
    let wanted = json!({ "id": "commute", "bounds": "age=17:90,hours=1:99", "epsilon": "4", "most_per_day": 3 });
    let made = place.operator("POST", "/v1/collections", wanted.to_string().as_bytes());
    assert_eq!(made.status, 201, "{}", String::from_utf8_lossy(&made.body));
    let made = made.json();
    assert_eq!((&made["state"], &made["reports"], &made["minimum"]), (&json!("open"), &json!(0), &json!(1000)));
    assert_eq!(made["design"]["identifier"], "commute");
    // Three reports of ε = 4 reveal 12 per unit of distance together.
    let composed = made["promise"]["composed_per_day"].to_string();
    assert!(composed.contains("12"), "{composed}");
    let again = place.operator("POST", "/v1/collections", wanted.to_string().as_bytes());
    assert_eq!((again.status, again.code().as_str()), (409, "collection-exists"));

    let public = place.public("GET", "/v1/collections/commute", "", b"").json();
    assert_eq!(public["design"], made["design"]);
    assert!(public.get("reports").is_none(), "the public does not see how many there are");
    let design = shoal_device::Design::from_json(&public["design"].to_string()).unwrap();
    let reports = crowd(&design, 1, place.today(), 5);
    assert_eq!(place.send("commute", &reports).json(), taken(5, 0));

    let closed = place.operator("POST", "/v1/collections/commute/close", b"").json();
    assert_eq!((&closed["state"], &closed["reports"]), (&json!("closed"), &json!(5)));
    assert_eq!(place.send("commute", &reports).code(), "closed");
    assert_eq!(place.operator("DELETE", "/v1/collections/commute", b"").status, 204);
    assert_eq!(place.operator("DELETE", "/v1/collections/commute", b"").status, 404);
    assert_eq!(place.send("commute", &reports).code(), "no-collection");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let place = Place::new();
    let refused = |wanted: serde_json::Value| {
        let answer = place.operator("POST", "/v1/collections", wanted.to_string().as_bytes());
        assert_eq!(answer.status, 400, "{wanted}");
        answer.code()
    };
    let with = |field: &str, value: serde_json::Value| {
        let mut wanted = json!({ "id": "a", "bounds": "x=0:1", "epsilon": "1" });
        wanted[field] = value;
        refused(wanted)
    };
    for (field, value) in [
        ("id", json!("A Name")),
        ("minimum", json!(5)),
        ("most_per_day", json!(0)),
        ("oldest_days", json!(1000)),
        ("retention_days", json!(3)),
        ("opens", json!("yesterday")),
    ] {
        assert_eq!(with(field, value), "collection-setting", "{field}");
    }
    assert_eq!(with("k", json!("many")), "k-out-of-range");
    assert_eq!(with("epsilon", json!("0")), "epsilon-out-of-range");
    assert_eq!(with("bounds", json!("0,1")), "bounds-without-names");
    assert_eq!(with("colour", json!("red")), "collection-unreadable");
    assert_eq!(refused(json!([])), "collection-unreadable");
    let backwards = json!({ "id": "a", "bounds": "x=0:1", "epsilon": "1",
        "opens": "2026-03-02T00:00:00Z", "closes": "2026-03-01T00:00:00Z" });
    assert_eq!(refused(backwards), "collection-setting");
    // A mechanism that protects nobody has no place here.
    let mut unsound =
        json!({ "id": "a", "design": serde_json::from_str::<serde_json::Value>(&design("1", 1).to_json()).unwrap() });
    unsound["design"]["mechanism"] = json!({ "name": "bpgm", "bound": "1", "form": "adam" });
    unsound["design"]["sampler"] = json!("doubles");
    unsound["design"].as_object_mut().unwrap().remove("digest");
    assert_eq!(refused(unsound), "unsound-mechanism");
    // Reports of words would be taken for numbers.
    let mut words =
        json!({ "id": "a", "design": serde_json::from_str::<serde_json::Value>(&design("1", 1).to_json()).unwrap() });
    words["design"].as_object_mut().unwrap().remove("digest");
    words["design"]["categories"] =
        json!([{ "column": "gender", "levels": ["F", "M"], "counts_gaps": false, "weight": 0.5 }]);
    assert_eq!(refused(words), "design-words");
    assert!(place.server().service().registry.all().is_empty());
}

#[test]
fn the_operators_port_needs_the_key_and_its_own_name() {
    let place = Place::new();
    let operator = place.server().operator_address().unwrap();
    let ask = |headers: &[(&str, &str)]| exchange(operator, "GET", "/v1/collections", headers, b"").unwrap();
    assert_eq!((ask(&[]).status, ask(&[]).code().as_str()), (401, "unauthorised"));
    assert_eq!(ask(&[("authorization", "Bearer 1234")]).status, 401);
    assert_eq!(ask(&[("cookie", &format!("key={}", place.key()))]).status, 401);
    let key = format!("Bearer {}", place.key());
    assert_eq!(ask(&[("authorization", &key)]).status, 200);
    // A foreign name that resolves to this machine.
    let mut stream = std::net::TcpStream::connect(operator).unwrap();
    let request = format!(
        "GET /v1/collections HTTP/1.1\r\nhost: evil.example\r\nauthorization: {key}\r\nconnection: close\r\n\r\n"
    );
    std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
    assert_eq!(crate::place::read_answer(stream).unwrap().status, 421);
    // The public port has none of it.
    for path in ["/v1/collections", "/metrics", "/", "/v1/collections/survey/models"] {
        let answer = exchange(place.server().public_address(), "GET", path, &[("authorization", &key)], b"").unwrap();
        assert_eq!(answer.status, 404, "{path}");
    }
    let page = exchange(operator, "GET", "/", &[], b"").unwrap();
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
    assert!(!String::from_utf8_lossy(&page.body).contains(&place.key()));
    // The key is nobody else's to read.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(place.folder.path().join("operator.key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn commands_work_with_and_without_a_running_server() {
    let mut place = Place::new();
    let folder = place.folder.path().to_path_buf();
    let admin = Admin::of(&folder);
    let collection = |id: &str| Collection { id: id.into(), ..Collection::new(&design("2", 3)) };
    let through = |admin: &Admin, id: &str| {
        admin.create(collection(id)).unwrap();
        let code = match admin.create(collection(id)).unwrap_err() {
            CollectorError::Refused { code, .. } => code,
            error => error.code().into(),
        };
        assert_eq!(code, "collection-exists");
        assert_eq!(admin.show(id).unwrap()["state"], "open");
        assert_eq!(admin.close(id).unwrap()["state"], "closed");
        assert!(admin.show("../collections").is_err() && admin.show("nobody").is_err());
    };
    through(&admin, "running");
    place.stop();
    through(&admin, "ended");
    let all = admin.list().unwrap();
    let ids: Vec<_> = all["collections"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["running", "ended"]);
    admin.delete("running").unwrap();
    assert_eq!(admin.show("running").unwrap_err().code(), "collection-unknown");
    place.restart();
    assert_eq!(admin.show("ended").unwrap()["state"], "closed");
    admin.delete("ended").unwrap();
}

#[test]
fn two_servers_do_not_share_a_folder() {
    let place = Place::new();
    let second = Server::start(settings(place.folder.path(), &place.clock));
    assert_eq!(second.err().unwrap().code(), "store-in-use");
    // The first one is none the worse for it.
    let design = place.create(|_| ());
    assert_eq!(place.send("survey", &crowd(&design, 1, place.today(), 2)).json(), taken(2, 0));
}

#[test]
fn folders_and_files_that_are_no_store_are_refused() {
    let code = |folder: &Path| {
        let clock = shoal_collector::Clock::standing_at(0);
        Server::start(settings(folder, &clock)).err().map(|error| error.code()).unwrap_or("started")
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert_eq!(code(&file), "store-folder");
    std::fs::write(folder.path().join("reports.sqlite"), vec![b'x'; 5000]).unwrap();
    assert_eq!(code(folder.path()), "store-failed");
    #[cfg(target_os = "linux")]
    assert_eq!(code(Path::new("/proc/shoal")), "store-folder");
}
