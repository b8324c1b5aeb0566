import { join } from 'node:path'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'
import { auditedPrograms } from './audited-programs.ts'
import { findingName, playAudit } from './play-audit.ts'

const programs = auditedPrograms(['--import', join(root, 'test/examples/from-source.ts')])

it.each(programs.filter(({ needs }) => needs === undefined))(
  'the audit of the operator on $library has exactly the expected findings',
  async ({ expected, command }) => {
    await using server = await startApiServer({ isolate: true })
    const { findings } = await playAudit(await command(), server)
    expect(findings.map(findingName)).toEqual(expected)
  },
)
