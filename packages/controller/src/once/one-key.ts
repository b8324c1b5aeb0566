import { type KubernetesObject, OptionRangeError, OptionTypeError, type View } from '@wherry/client'
import { apiVersionOf, checkedKey } from '@wherry/client/internal'
import type { ControllerDefinition } from '../controller/definition.ts'
import { from } from '../sources/controller-sources.ts'
import type { Keys } from '../sources/key.ts'
import type { Source } from '../sources/source.ts'
import type { ReconcileOnceOptions } from './options.ts'

type Definition = ControllerDefinition<unknown>

/** The key that runs. */
export interface OneKey {
  readonly text: string
  /** `undefined`: the controller has no primary objects. */
  readonly view: View | undefined
  /** The object to store; `undefined` if the server has it, and for a singleton. */
  readonly object: KubernetesObject | undefined
}

/** The controller of that name; without a name, the only controller. @throws OptionRangeError */
export function controllerNamed(definitions: readonly Definition[], name: string | undefined): Definition {
  const names = definitions.map(one => one.name)
  const [only] = definitions
  if (only === undefined) {
    throw new OptionRangeError(
      'reconcileOnce.declare',
      'a function that declares a controller',
      'one that declares none',
    )
  }
  if (name === undefined && definitions.length === 1) return only
  const found = definitions.find(one => one.name === name)
  if (found !== undefined) return found
  throw new OptionRangeError('reconcileOnce.controller', `one of ${names.join(', ')}`, name ?? 'none')
}

/** The key that the options name, in the controller's view. @throws OptionTypeError, OptionRangeError, InvalidNameError */
export function keyOf(definition: Definition, { object, key }: ReconcileOnceOptions): OneKey {
  if (definition.for === 'singleton') {
    const given = object === undefined ? (key === undefined ? undefined : 'key') : 'object'
    if (given === undefined) return { text: definition.name, view: undefined, object: undefined }
    throw new OptionTypeError(`reconcileOnce.${given}`, 'nothing for a controller without primary objects', 'one')
  }
  if ((object === undefined) === (key === undefined)) {
    throw new OptionTypeError('reconcileOnce', 'an object or a key', object === undefined ? 'neither' : 'both')
  }
  const view = definition.for as unknown as View
  const { resource, namespaces } = view
  const home = namespaces?.length === 1 ? namespaces[0] : 'default'
  if (object === undefined) {
    return { text: checkedKey(view, key, home, 'reconcileOnce.key').text, view, object }
  }
  const own = { apiVersion: apiVersionOf(resource), kind: resource.kind }
  for (const field of ['apiVersion', 'kind'] as const) {
    const { [field]: given = own[field] } = object
    if (given === own[field]) continue
    const takes = `${own[field]}, as the controller ${definition.name} has it`
    throw new OptionRangeError(`reconcileOnce.object.${field}`, takes, JSON.stringify(given))
  }
  const { name, namespace, text } = checkedKey(view, object.metadata ?? {}, home, 'reconcileOnce.object.metadata')
  const metadata = { ...object.metadata, name, ...(namespace !== undefined && { namespace }) }
  return { text, view, object: { ...object, ...own, metadata } }
}

/** Returns a definition that queues one key at its start, whatever the predicates of `definition` would filter. It calls neither `onGone` nor `onLeft`. */
export function forcing(
  definition: Definition,
  { text, view }: OneKey,
  reconcile: Definition['reconcile'],
): Definition {
  const { sources = [], onGone: _, onLeft: __, ...rest } = definition
  const plain = { ...rest, reconcile }
  if (view === undefined) return plain
  const slash = view.resource.namespaced ? text.indexOf('/') : -1
  const key = { name: text.slice(slash + 1), ...(slash !== -1 && { namespace: text.slice(0, slash) }) }
  return { ...plain, sources: [...sources, from(only(key as Keys))] }
}

function only(key: Keys): Source<Keys> {
  return {
    name: 'reconcileOnce',
    defaultKeys: given => given as Keys,
    connect(target) {
      target.tell(key)
      return { synced: async () => {}, close: async () => {} }
    },
  }
}
