import { objectAt, objectsAt, own } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { StatusError } from '../status.ts'

const lists = ['containers', 'initContainers', 'ephemeralContainers'] as const

/** Nothing runs here, so a container's log is empty. Throws the server's 400 for a container that is none, and where there are several. */
export function checkLogged(pod: KubeObject, container: string | null): void {
  const spec = objectAt(pod, 'spec') ?? {}
  const { name = '' } = pod.metadata
  const [main = [], init = [], debug = []] = lists.map(list =>
    objectsAt(spec, list).map(one => String(own(one, 'name'))),
  )
  if (container !== null && container !== '') {
    if ([...main, ...init, ...debug].includes(container)) return
    throw StatusError.badRequest(`container ${container} is not valid for pod ${name}`)
  }
  if (main.length === 1 || pod.metadata.annotations?.['kubectl.kubernetes.io/default-container'] !== undefined) return
  const more = (names: readonly string[], what: string): string =>
    names.length === 0 ? '' : ` or one of the ${what} containers: [${names.join(' ')}]`
  const choices = `[${main.join(' ')}]${more(init, 'init')}${more(debug, 'debug')}`
  throw StatusError.badRequest(`a container name must be specified for pod ${name}, choose one of: ${choices}`)
}
