import { expect, it } from 'vitest'
import { checkChanges } from './forbidden-changes.ts'

const change = (path: string, subResource?: string) => () =>
  checkChanges([{ op: 'replace', path, value: 'x' }], subResource)

it.each([
  ...['', '/apiVersion', '/kind', '/metadata', '/metadata/name', '/metadata/generateName', '/metadata/namespace'],
  ...['/metadata/uid', '/metadata/resourceVersion', '/metadata/generation', '/metadata/creationTimestamp'],
  ...['/metadata/deletionTimestamp', '/metadata/deletionGracePeriodSeconds', '/metadata/managedFields/0'],
  ...['/metadata/selfLink', '/status', '/status/phase'],
])('B2: a change of "%s" is an error that names it', path => {
  const named = expect.objectContaining({ code: 'FORBIDDEN_CHANGE', path })
  expect(change(path)).toThrow(named)
  const why = path.startsWith('/status')
    ? 'only a webhook declared by forStatus may change the status'
    : 'no webhook may change that field'
  expect(change(path)).toThrow(`the handler changed ${path || 'the whole object'}: ${why}`)
})

it('B2: the rest may be changed, and in a subresource only its own part', () => {
  for (const path of ['/spec', '/metadata/labels/a', '/metadata/names', '/statuses', '/data'])
    expect(change(path)).not.toThrow()
  expect(change('/status/phase', 'status')).not.toThrow()
  expect(change('/spec', 'scale')).not.toThrow()
  expect(change('/spec', 'status')).toThrow('a webhook of status may change /status only')
  expect(change('/status', 'scale')).toThrow('a webhook of scale may change /spec only')
})
