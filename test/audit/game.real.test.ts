import { it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { auditedPrograms } from './audited-programs.ts'
import { playOnRealServer } from './on-real-server.ts'

const available = await realApiServerAvailable('the game with operators on controller-runtime')
const received: Readonly<Record<string, readonly string[]>> = {
  go: ['game-received configmaps', 'game-received secrets'],
  'go-by-object': [],
}

it.runIf(available).each(auditedPrograms().filter(({ name }) => name in received))(
  'on a real server, the operator $name receives exactly the kinds of the game that its cache has',
  program => playOnRealServer(program, received[program.name] ?? []),
  600_000,
)
