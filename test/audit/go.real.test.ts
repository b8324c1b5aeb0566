import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { auditedPrograms } from './audited-programs.ts'
import { findingName, playAudit } from './play-audit.ts'

/** The real API server is built with Go, as these operators are. */
const available = await realApiServerAvailable('the audit of operators on controller-runtime')

it.runIf(available).each(auditedPrograms().filter(({ name }) => /^go/.test(name)))(
  'the audit of the operator $name has exactly the expected findings',
  async ({ expected, command }) => {
    await using server = await startApiServer({ isolate: true })
    const { findings } = await playAudit(await command(), server)
    expect(findings.map(findingName)).toEqual(expected)
  },
  600_000,
)
