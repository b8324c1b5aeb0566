import { resolve } from 'node:path'
import { install, startEmbeddedApiServer } from '@wherry/apiserver'
import { InstallError } from '@wherry/apiserver/internal'
import { fromUrl } from '@wherry/client/internal'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import { createDefinitions } from '../program/create-definitions.ts'
import type { Place } from './place.ts'

/** An embedded server in a process of its own, with the definitions and the objects in two folders. */
export async function embedded(crds: string, objects: string | undefined, host: CommandHost): Promise<Place> {
  const server = await startEmbeddedApiServer({ isolate: true, anonymous: false })
  try {
    await createDefinitions(server, crds, host)
    if (objects !== undefined) await install(server, resolve(host.cwd, objects))
  } catch (error) {
    await server.close()
    throw error instanceof InstallError ? refused(oneLine(error.message), error) : error
  }
  const { url, ca, token } = server
  return { access: fromUrl(url, { ca, token }), deletion: () => undefined, [Symbol.asyncDispose]: () => server.close() }
}
