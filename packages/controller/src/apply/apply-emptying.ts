import {
  type ApplyOptions,
  type Client,
  isApiError,
  type JsonPatchOperation,
  type KubernetesObject,
  type ObjectKey,
  type View,
} from '@wherry/client'

/** The verbs of a client that write objects, or their statuses. */
type Writer = Pick<Client['status'], 'apply' | 'patch'>

/**
 * Applies an object, even if the apply gives up the last field of a part that another manager has written too. The API server then makes the part
 * `null`, and its own schema refuses `null` (422). So a patch empties the part, and the apply is sent again. The patch requires the version `before`,
 * because only at that version is it known that the apply leaves nothing in the part. If the patch fails, the refusal of the apply is thrown.
 * @param before the resourceVersion that the object had before the apply; `undefined` if the object did not exist
 */
export async function applyEmptying(
  writer: Writer,
  view: View<KubernetesObject>,
  object: KubernetesObject,
  before: string | undefined,
  options: ApplyOptions,
): Promise<KubernetesObject> {
  const target = view as unknown as View<object, never>
  const apply = async (): Promise<KubernetesObject> => writer.apply(target, object as never, options)
  try {
    return await apply()
  } catch (error) {
    const emptied = emptiedParts(error, object)
    if (emptied.length === 0 || before === undefined) throw error
    const { name, namespace } = object.metadata ?? {}
    const steps = [{ op: 'test', path: '/metadata/resourceVersion', value: before } as const, ...emptied]
    const { force: _, ...rest } = options
    try {
      await writer.patch(target, { name, namespace } as ObjectKey as never, steps, rest)
    } catch {
      throw error
    }
    return await apply()
  }
}

/** The steps that empty the parts that a server refuses because an apply of `object` makes them `null`. */
function emptiedParts(refusal: unknown, object: KubernetesObject): JsonPatchOperation[] {
  if (!isApiError(refusal) || refusal.status !== 422) return []
  const parts = refusal.causes.map(({ message, field }) => {
    const type = /^Invalid value: "?null"?:.* in body must be of type (object|array)\b/.exec(message)?.[1]
    // A name with a dot could also be two names, so the refusal is thrown.
    const names = /^[\w-]+(\.[\w-]+|\[\d+\])*$/.test(field) ? (field.match(/[\w-]+/g) ?? []) : []
    // A null in the object itself says nothing about the stored object.
    if (type === undefined || names.length === 0 || isNull(object, names)) return undefined
    return { op: 'replace', path: `/${names.join('/')}`, value: type === 'array' ? [] : {} } as const
  })
  return parts.every(part => part !== undefined) ? parts : []
}

function isNull(value: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined || typeof value !== 'object' || value === null) return value === null
  return isNull((value as Readonly<Record<string, unknown>>)[first], rest)
}
