import { join } from 'node:path'
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { rolesIn } from '@wherry/testing'
import { expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { root } from '../../tools/workspace.ts'
import { actAs } from './act-as.ts'
import { auditedPrograms, neededSecret } from './audited-programs.ts'
import { findingName, playAudit, printedAudit } from './play-audit.ts'

const available = await realApiServerAvailable('the run of operators with the roles of wherry audit --rbac')
const programs = auditedPrograms(['--import', join(root, 'test/examples/from-source.ts')])
/** Built or installed by the other tests, too. */
const inTests = ['go', 'go-by-object', 'client-node', 'wherry']
/** Operators that read the Secret by name. */
const narrow = ['go-by-object', 'wherry']

it.runIf(available).each(programs.filter(({ name }) => inTests.includes(name)))(
  'with the roles that --rbac prints, and no others, the operator $name does the same on a real server',
  async ({ name, expected, command }) => {
    const server = await sharedRealServer()
    const program = await command()
    const roles = rolesIn(await printedAudit(program, server, { prints: '--rbac' }))
    const ofSecrets = roles.flatMap(({ rules }) => rules).filter(({ resources }) => resources?.includes('secrets'))
    for (const { resourceNames } of ofSecrets)
      expect(resourceNames).toEqual(narrow.includes(name) ? [neededSecret] : undefined)
    expect(ofSecrets).not.toEqual([])

    const { kubeconfig } = await server.account(roles, { name })
    await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
    const key = { namespace: 'default', name: 'chess-mirror' }
    await client.delete(configMaps, key)
    const { findings, refusals } = await playAudit(program, server, { kubeconfig })
    expect(refusals.filter(({ status }) => status === 403)).toEqual([])
    expect(findings.map(findingName)).toEqual(expected)
    await client.delete(configMaps, key)
  },
  600_000,
)

it.runIf(available)(
  'with the roles that --rbac prints, and no others, a program acts as the same user on a real server',
  async () => {
    const { written } = await actAs(await sharedRealServer())
    expect(written).toEqual(['answered 200\n', 'answered 200\n'])
  },
  120_000,
)
