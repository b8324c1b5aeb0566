import { type JsonObject, objectAt, objectsAt, stringAt, stringsAt } from '@wherry/cel/internal'
import type { PlayOptions } from './options.ts'
import { claimKind, identity, isDeleted, podKind } from './played-kind.ts'
import { isEnded } from './pods.ts'
import { sameStatus } from './same-status.ts'
import type { Part, Scene } from './scene.ts'

/** The volume controller: a claim is bound, and its capacity grows with its request. No PersistentVolume is made. */
export function claimsPart(option: PlayOptions['persistentVolumeClaims']): Part {
  const { boundAfterMs = 0 } = typeof option === 'object' ? option : {}
  return async (scene, claim, key) => {
    if (isDeleted(claim)) return release(scene, claim, key)
    const spec = objectAt(claim, 'spec')
    const status = objectAt(claim, 'status')
    const isBound = stringAt(status, 'phase') === 'Bound'
    if (!isBound && !scene.isDue(claim, 'bound', boundAfterMs, claimKind, key)) return
    if (stringAt(spec, 'volumeName') === undefined) {
      const volume: JsonObject = { ...claim, spec: { ...spec, volumeName: `pvc-${identity(claim).uid}` } }
      return scene.update(claimKind, volume)
    }
    const capacity = { storage: objectAt(objectAt(spec, 'resources'), 'requests')?.storage ?? '1Gi' }
    if (isBound && sameStatus(objectAt(status, 'capacity'), capacity)) return
    await scene.status(claimKind, claim, {
      ...status,
      ...{ phase: 'Bound', accessModes: stringsAt(spec, 'accessModes'), capacity },
    })
  }
}

const protection = 'kubernetes.io/pvc-protection'

/** Removes the finalizer of a deleted claim once no Pod uses the claim. */
async function release(scene: Scene, claim: JsonObject, key: string): Promise<void> {
  const metadata = objectAt(claim, 'metadata')
  const finalizers = stringsAt(metadata, 'finalizers')
  if (!finalizers.includes(protection)) return
  const { namespace, name } = identity(claim)
  const user = scene.find(podKind, pod => identity(pod).namespace === namespace && uses(pod, name))
  if (user !== undefined)
    return scene.wakeWhen({ kind: podKind, key: `${namespace}/${identity(user).name}` }, claimKind, key)
  await scene.update(claimKind, {
    ...claim,
    metadata: { ...metadata, finalizers: finalizers.filter(one => one !== protection) },
  })
}

function uses(pod: JsonObject, claim: string): boolean {
  const volumes = isEnded(pod) ? [] : objectsAt(objectAt(pod, 'spec'), 'volumes')
  return volumes.some(volume => stringAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName') === claim)
}
