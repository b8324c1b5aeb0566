import { isInvalid } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { expect, it } from 'vitest'
import { gate } from './gate.ts'
import { definition, gameDefinition, type Versions, withGames } from './testkit/cluster.ts'

/** Updates of a definition with v1 and v2 in `storedVersions`, and what the gate says of each. */
const updates: readonly { update: string; after: Versions; says: readonly string[] }[] = [
  { update: 'that changes nothing', after: { storage: 'v2' }, says: [] },
  {
    update: 'that removes a stored version',
    after: { storage: 'v2', names: ['v2'] },
    says: ['removes-stored-version v1 refused'],
  },
  {
    update: 'that stops serving a version',
    after: { storage: 'v2', unserved: ['v1'] },
    says: ['stops-serving v1'],
  },
  {
    update: 'that removes stored versions for a new one',
    after: { storage: 'v3', names: ['v3'] },
    says: ['removes-stored-version v1 refused', 'removes-stored-version v2 refused', 'needs-migration v3'],
  },
  {
    update: 'that adds a storage version',
    after: { storage: 'v3', names: ['v1', 'v2', 'v3'], unserved: ['v2'] },
    says: ['stops-serving v2', 'needs-migration v3'],
  },
]

it.each(updates)('S6: the gate says of an update $update what the API server does with it', ({ after, says }) =>
  withGames(1, async ({ writer }) => {
    const before = await writer.get(customResourceDefinitions, { name: definition })
    if (before === undefined) throw new Error('the definition is gone')
    const next = gameDefinition(after)
    const findings = gate(before, next)
    expect(findings.map(({ kind, version, refused }) => `${kind} ${version}${refused ? ' refused' : ''}`)).toEqual(says)
    const refused = await writer.patch(customResourceDefinitions, { name: definition }, next).then(
      () => false,
      error => isInvalid(error),
    )
    expect(findings.some(finding => finding.refused)).toBe(refused)
  }),
)

it('S6: the gate warns of a served version that is removed, once no object is stored at it', () => {
  const before = { ...gameDefinition({ storage: 'v2' }), status: { storedVersions: ['v2'] } }
  const findings = gate(before, gameDefinition({ storage: 'v2', names: ['v2'] }))
  expect(findings).toMatchObject([{ kind: 'removes-served-version', version: 'v1', refused: false }])
})

it('S6: a version that was not served before is no warning', () => {
  const before = { ...gameDefinition({ storage: 'v2', unserved: ['v1'] }), status: { storedVersions: ['v2'] } }
  expect(gate(before, gameDefinition({ storage: 'v2', names: ['v2'] }))).toEqual([])
})

it('X6: the gate takes a definition of the cluster and one to be', () => {
  const update = gameDefinition({ storage: 'v2' })
  const wrong = [
    [update, update],
    [{ ...update, status: { storedVersions: [] } }, update],
    [undefined, update],
    [{ ...update, status: { storedVersions: ['v1'] } }, { metadata: {} }],
  ]
  for (const [before, after] of wrong) {
    expect(() => gate(before as never, after as never)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  }
})
