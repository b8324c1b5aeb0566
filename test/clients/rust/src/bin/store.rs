//! The store of kube-rs, for the benchmark `million`: a reflector of all ConfigMaps, or of all Pods, of every namespace.
//!
//! `store URL configmaps|pods` prints `ready` when the store has the first state, and then runs on until it is ended. It
//! has kube-rs' defaults: pages of 500 objects, whole objects.

use std::fmt::Debug;
use std::hash::Hash;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::runtime::reflector::{self, Lookup};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Config, Resource};
use serde::de::DeserializeOwned;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, plural] = arguments.as_slice() else { return Err("name a URL and a resource".into()) };
    let client = Client::try_from(Config::new(url.parse()?))?;
    match plural.as_str() {
        "configmaps" => keep::<ConfigMap>(client).await,
        "pods" => keep::<Pod>(client).await,
        _ => Err("the resource is configmaps or pods".into()),
    }
}

async fn keep<K>(client: Client) -> Result<(), Box<dyn std::error::Error>>
where
    K: Resource<DynamicType = ()> + Lookup<DynamicType = ()> + Clone + DeserializeOwned + Debug + Send + Sync + 'static,
    <K as Resource>::DynamicType: Eq + Hash + Clone,
{
    let (store, writer) = reflector::store::<K>();
    let events = watcher(Api::<K>::all(client), watcher::Config::default()).default_backoff().reflect(writer);
    tokio::pin!(events);
    let ready = async { store.wait_until_ready().await };
    tokio::pin!(ready);
    let mut is_ready = false;
    loop {
        tokio::select! {
            event = events.next() => match event {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Err("the watch ended".into()),
            },
            result = &mut ready, if !is_ready => {
                result?;
                is_ready = true;
                println!("ready");
            }
        }
    }
}
