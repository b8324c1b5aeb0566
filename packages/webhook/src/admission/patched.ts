import type { JsonPatchOperation } from '@wherry/client'

/** A copy of `object` with the operations of a patch that this package made: `add`, `replace` and `remove`. */
export function patched(object: object, patch: readonly JsonPatchOperation[]): object {
  const root = { object: structuredClone(object) }
  for (const operation of patch) {
    const steps = ['object', ...operation.path.split('/').slice(1).map(unescaped)]
    const last = steps.pop() as string
    let holder: unknown = root
    for (const step of steps) holder = (holder as Readonly<Record<string, unknown>>)[step]
    if (Array.isArray(holder)) changeItem(holder, Number(last), operation)
    else changeField(holder as Record<string, unknown>, last, operation)
  }
  return root.object
}

function changeItem(list: unknown[], index: number, operation: JsonPatchOperation): void {
  const added = 'value' in operation ? [structuredClone(operation.value)] : []
  list.splice(index, operation.op === 'add' ? 0 : 1, ...added)
}

function changeField(fields: Record<string, unknown>, name: string, operation: JsonPatchOperation): void {
  if (operation.op === 'remove') delete fields[name]
  else if ('value' in operation) fields[name] = structuredClone(operation.value)
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
