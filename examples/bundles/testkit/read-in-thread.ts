import { readLayers } from '../bundle/archive.ts'
import { type Bundle, readBundle } from '../bundle/manifests.ts'
import { YamlThread } from '../bundle/yaml-thread.ts'

/** Reads a bundle as the operator does. */
export async function readInThread(...layers: readonly Uint8Array[]): Promise<Bundle> {
  const thread = new YamlThread()
  return readBundle(
    await readLayers(layers),
    (files, signal) => thread.parse(files, signal),
    new AbortController().signal,
  )
}
