import { describe, it } from 'vitest'
import { auditedPrograms } from './audited-programs.ts'
import { playOnRealServer, runWithPrintedRoles } from './on-real-server.ts'

/** The operators that take minutes to build or to install. */
const programs = auditedPrograms().filter(({ name }) => name === 'kube-rs' || name === 'kopf')

/** The operators on kube-rs and kopf, audited on a real server: `npm run soak -- audits`. */
describe('operators in other languages', () => {
  it.each(programs)(
    'on a real server, the operator $name receives exactly the kinds of the game that its cache has',
    program => playOnRealServer(program, ['game-received secrets']),
    1_800_000,
  )

  it.each(programs)(
    'with the roles that --rbac prints, and no others, the operator $name does the same on a real server',
    program => runWithPrintedRoles(program, false),
    1_800_000,
  )
})
