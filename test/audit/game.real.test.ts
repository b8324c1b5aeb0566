import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { auditedPrograms } from './audited-programs.ts'
import { findingName, playAudit } from './play-audit.ts'

const available = await realApiServerAvailable('the game with operators on controller-runtime')
const received: Readonly<Record<string, readonly string[]>> = {
  go: ['game-received configmaps', 'game-received secrets'],
  'go-by-object': [],
}

it.runIf(available).each(auditedPrograms().filter(({ name }) => name in received))(
  'on a real server, the operator $name receives exactly the kinds of the game that its cache has',
  async ({ name, expected, command }) => {
    // With the controllers, which delete the objects of a namespace that is deleted.
    await using server = await startApiServer({ kind: 'real' })
    const { findings, game } = await playAudit(await command(), server, {
      game: 'configmaps=3,secrets=3,pods=3,events=3,size=20kB',
    })
    const ofGame = findings.filter(({ finding }) => finding.startsWith('game-'))
    expect(ofGame.map(findingName)).toEqual(received[name])
    expect(findings.filter(({ finding }) => finding === 'whole-kind').map(findingName)).toEqual(expected)
    // Each is added, and deleted. In protobuf the data of a Secret is not base64, and takes a quarter less.
    for (const { objects, bytes } of game?.received ?? []) {
      expect(objects).toBeGreaterThanOrEqual(6)
      expect(bytes).toBeGreaterThan(6 * 15_000)
    }
  },
  600_000,
)
