import { join } from 'node:path'
import { expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { root } from '../../tools/workspace.ts'
import { actAs } from './act-as.ts'
import { auditedPrograms } from './audited-programs.ts'
import { runWithPrintedRoles } from './on-real-server.ts'

const available = await realApiServerAvailable('the run of operators with the roles of wherry audit --rbac')
const programs = auditedPrograms(['--import', join(root, 'test/examples/from-source.ts')])
/** Built or installed by the other tests, too. */
const inTests = ['go', 'go-by-object', 'client-node', 'wherry']
/** Operators that read the Secret by name. */
const narrow = ['go-by-object', 'wherry']

it.runIf(available).each(programs.filter(({ name }) => inTests.includes(name)))(
  'with the roles that --rbac prints, and no others, the operator $name does the same on a real server',
  program => runWithPrintedRoles(program, narrow.includes(program.name)),
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
