import type { Asker } from '@wherry/apiserver/internal'
import { type JsonObject, objectAt, objectsAt, parseJson } from '@wherry/cel/internal'

/** The maximum number of checks whether a namespace is deleted. Together they take some seconds. */
const maxTries = 300

/** Creates the namespace of a test. */
export async function createNamespace(asker: Asker, name: string): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
  const { status, text } = await asker.ask('POST', '/api/v1/namespaces', namespace)
  if (status !== 201) throw new Error(`the namespace ${name} was not created: ${text}`)
}

/**
 * Deletes the namespace of a test with all its objects, and waits until it is deleted, so that the next test's operator does not see these objects.
 * Stops waiting if a finalizer holds an object, and after some seconds, for example because the server has no controller of namespaces.
 */
export async function deleteNamespace(asker: Asker, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`
  await asker.ask('DELETE', path)
  for (let tries = 0; tries < maxTries; tries++) {
    const { status, text } = await asker.ask('GET', path)
    if (status === 404 || hasFinalizers(parseJson(text) as JsonObject)) return
    await asker.pause()
  }
}

function hasFinalizers(namespace: JsonObject): boolean {
  const conditions = objectsAt(objectAt(namespace, 'status'), 'conditions')
  return conditions.some(({ type, status }) => type === 'NamespaceFinalizersRemaining' && status === 'True')
}
