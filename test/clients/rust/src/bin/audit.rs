//! The operator on kube-rs that `wherry audit` is run with: for each Mirror it applies a ConfigMap with a digest of the Secret
//! that the Mirror names. It watches all Secrets, and applies in each run.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Patch, PatchParams};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, ObjectMeta};
use kube::runtime::controller::Action;
use kube::runtime::reflector::ObjectRef;
use kube::runtime::{Controller, watcher};
use kube::{Api, Client, ResourceExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let kind = ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk("arcade.example.com", "v1", "Mirror"), "mirrors");
    let mirrors: Api<DynamicObject> = Api::all_with(client.clone(), &kind);
    let secrets: Api<Secret> = Api::all(client.clone());
    let controller = Controller::new_with(mirrors, watcher::Config::default(), kind.clone());
    let store = controller.store();
    controller
        .watches(secrets, watcher::Config::default(), move |secret| {
            let named = store.state().into_iter().filter(move |mirror| {
                mirror.namespace() == secret.namespace() && spec_of(mirror, "secret") == secret.name_any()
            });
            named.map(|mirror| ObjectRef::from_obj_with(mirror.as_ref(), kind.clone())).collect::<Vec<_>>()
        })
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(1)), Arc::new(client))
        .for_each(|result| async move {
            if let Err(error) = result {
                eprintln!("{error}");
            }
        })
        .await;
    Ok(())
}

async fn reconcile(mirror: Arc<DynamicObject>, client: Arc<Client>) -> Result<Action, kube::Error> {
    let namespace = mirror.namespace().unwrap_or_default();
    let secrets: Api<Secret> = Api::namespaced(client.as_ref().clone(), &namespace);
    let maps: Api<ConfigMap> = Api::namespaced(client.as_ref().clone(), &namespace);
    let secret = secrets.get(spec_of(&mirror, "secret")).await?;
    let data = secret.data.unwrap_or_default();
    let key = data.get("key").map(|bytes| bytes.0.as_slice()).unwrap_or_default();
    let digest = ring::digest::digest(&ring::digest::SHA256, key);
    let digest: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let name = format!("{}-mirror", mirror.name_any());
    let map = ConfigMap {
        metadata: ObjectMeta { name: Some(name.clone()), ..Default::default() },
        data: Some([("digest".to_string(), digest)].into()),
        ..Default::default()
    };
    maps.patch(&name, &PatchParams::apply("mirror"), &Patch::Apply(&map)).await?;
    println!("mirrored {} {}", mirror.name_any(), spec_of(&mirror, "note"));
    Ok(Action::await_change())
}

fn spec_of<'a>(mirror: &'a DynamicObject, field: &str) -> &'a str {
    mirror.data["spec"][field].as_str().unwrap_or_default()
}
