import { join } from 'node:path'
import { recordRights } from '@wherry/testing'
import type { ExampleName } from './examples.ts'
import { Manifest, userOf } from './manifest.ts'

/** A server that knows the rights that its users used: an embedded one. */
export type RecordingServer = Parameters<typeof recordRights>[0]

/** The folder of an example. */
export function homeOf(name: ExampleName): string {
  return join(import.meta.dirname, '../../examples', name)
}

/**
 * Writes the rights that an example's program used when its users were played, for `wherry manifests`.
 *
 * @param folder by default where the command looks for them
 */
export async function recordExample(
  name: ExampleName,
  server: RecordingServer,
  folder: string = join(homeOf(name), '.wherry/rights'),
): Promise<void> {
  const { user } = userOf(new Manifest(homeOf(name)).workload)
  await recordRights(server, { user, test: `npm run example -- ${name} --verify`, folder })
}
