import { type JsonObject, objectAt, objectsAt, parseJson, stringAt } from '@wherry/cel/internal'
import type { Asker } from './asker.ts'

/** The maximum number of questions whether a definition is served: half a minute, if an answer takes no time. */
const maxTries = 3_000

/** The path of a version of a group. The paths of its resources begin with it. */
export function pathOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
}

/** Waits until the server serves each version of a definition, and discovery lists it. Rejects if the names of the definition are refused. */
export async function untilServed(asker: Asker, definition: JsonObject): Promise<void> {
  const spec = objectAt(definition, 'spec')
  const group = stringAt(spec, 'group') ?? ''
  const plural = stringAt(objectAt(spec, 'names'), 'plural') ?? ''
  const versions = objectsAt(spec, 'versions').filter(({ served }) => served === true)
  for (const version of versions) {
    const path = pathOf(`${group}/${stringAt(version, 'name')}`)
    for (let tries = 0; !(await isServed(asker, path, plural)); tries++) {
      const name = `${plural}.${group}`
      const refusal = await refusedNames(asker, name)
      if (refusal !== undefined) throw new Error(refusal)
      if (tries === maxTries) throw new Error(`${name} is not served yet`)
      await asker.pause()
    }
  }
}

async function isServed(asker: Asker, path: string, plural: string): Promise<boolean> {
  const { status, text } = await asker.ask('GET', path)
  if (status !== 200) return false
  const resources = objectsAt(parseJson(text) as JsonObject, 'resources')
  if (!resources.some(({ name }) => name === plural)) return false
  return (await asker.ask('GET', `${path}/${plural}?limit=1`)).status !== 404
}

/** The reason for which the server does not accept the names of a definition. */
async function refusedNames(asker: Asker, name: string): Promise<string | undefined> {
  const { text } = await asker.ask('GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`)
  const conditions = objectsAt(objectAt(parseJson(text) as JsonObject, 'status'), 'conditions')
  const names = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
  return stringAt(names, 'message')
}
