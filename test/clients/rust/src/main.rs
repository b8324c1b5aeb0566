//! A kube-rs watcher, for the test that it works against the embedded API server.
//!
//! `wherry-watcher NAMESPACE`, with KUBECONFIG set, prints the events of ConfigMaps, one line each: `listing`, `synced`,
//! or `added`, `updated` and `deleted` with a name and the value of `n` in its data. It lists by watching
//! (`InitialListStrategy::StreamingList`), and ends with its stdin.

use futures::{StreamExt, pin_mut};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::runtime::{WatchStreamExt, watcher, watcher::Event};
use kube::{Api, Client, ResourceExt};
use tokio::io::AsyncReadExt;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let namespace = std::env::args().nth(1).ok_or("which namespace?")?;
    let maps: Api<ConfigMap> = Api::namespaced(Client::try_default().await?, &namespace);
    let events = watcher(maps, watcher::Config::default().streaming_lists()).default_backoff();
    pin_mut!(events);
    let mut stdin = tokio::io::stdin();
    let mut byte = [0u8; 1];
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(Ok(Event::Init)) => println!("listing"),
                Some(Ok(Event::InitApply(map))) => say("added", &map),
                Some(Ok(Event::InitDone)) => println!("synced"),
                Some(Ok(Event::Apply(map))) => say("updated", &map),
                Some(Ok(Event::Delete(map))) => say("deleted", &map),
                Some(Err(error)) => eprintln!("{error}"),
                None => return Ok(()),
            },
            _ = stdin.read(&mut byte) => return Ok(()),
        }
    }
}

fn say(what: &str, map: &ConfigMap) {
    let n = map.data.as_ref().and_then(|data| data.get("n"));
    println!("{what} {} {}", map.name_any(), n.map(String::as_str).unwrap_or(""));
}
