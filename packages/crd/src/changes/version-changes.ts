import type { CustomResourceDefinitionVersion } from '@wherry/client/resources/apiextensions'
import { same } from '../schema/json-schema.ts'
import type { DefinitionChange, Verdict } from './change.ts'

/** The changes of the settings of a version, except for its schema. */
export function versionChanges(
  old: CustomResourceDefinitionVersion,
  next: CustomResourceDefinitionVersion,
): readonly DefinitionChange[] {
  const changes: DefinitionChange[] = []
  const note = (path: string, change: string, verdict: Verdict, advice: string = ''): void =>
    void changes.push({ version: next.name, path, change, verdict, advice })
  if (old.served && !next.served)
    note('', 'no longer served', 'breaks clients', 'Move all clients to another version first.')
  else if (!old.served && next.served) note('', 'served', 'safe')
  if (old.deprecated !== true && next.deprecated === true) note('', 'deprecated', 'safe')
  const [was, is] = [old.subresources ?? {}, next.subresources ?? {}]
  if (was.status !== undefined && is.status === undefined)
    note(
      'status',
      'no longer written on its own',
      'breaks clients',
      'Writes to /status are refused: keep the subresource.',
    )
  else if (was.status === undefined && is.status !== undefined)
    note(
      'status',
      'written on its own',
      'breaks clients',
      'Writes to the object leave the status as it is: clients must write to /status.',
    )
  if (was.scale !== undefined && !same(was.scale, is.scale))
    note(
      '',
      is.scale === undefined ? 'scale removed' : 'scale has other paths',
      'breaks clients',
      'Autoscalers and kubectl scale use it: keep it.',
    )
  else if (was.scale === undefined && is.scale !== undefined) note('', 'scale added', 'safe')
  const selectable = new Set(next.selectableFields?.map(({ jsonPath }) => jsonPath))
  for (const { jsonPath } of old.selectableFields ?? [])
    if (!selectable.has(jsonPath))
      note(
        jsonPath.slice(1),
        'no longer selectable',
        'breaks clients',
        'Lists and watches that select by it are refused: keep it.',
      )
  return changes
}
