import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { rolesIn, startApiServer } from '@wherry/testing'
import { expect } from 'vitest'
import { sharedRealServer } from '../../packages/testing/src/real/testkit/shared.ts'
import { type AuditedProgram, neededSecret } from './audited-programs.ts'
import { findingName, playAudit, printedAudit } from './play-audit.ts'

/** Plays the game with an operator on a real server, and expects the kinds that it receives, as findings, and its other findings of whole kinds. */
export async function playOnRealServer(program: AuditedProgram, received: readonly string[]): Promise<void> {
  // With the controllers, which delete the objects of a namespace that is deleted.
  await using server = await startApiServer({ kind: 'real' })
  const { findings, game } = await playAudit(await program.command(), server, {
    game: 'configmaps=3,secrets=3,pods=3,events=3,size=20kB',
  })
  const ofGame = findings.filter(({ finding }) => finding.startsWith('game-'))
  expect(ofGame.map(findingName)).toEqual(received)
  const wholeKinds = program.expected.filter(finding => finding.startsWith('whole-kind '))
  expect(findings.filter(({ finding }) => finding === 'whole-kind').map(findingName)).toEqual(wholeKinds)
  // Each is added, and deleted. In protobuf the data of a Secret is not base64, and takes a quarter less.
  for (const { objects, bytes } of game?.received ?? []) {
    expect(objects).toBeGreaterThanOrEqual(6)
    expect(bytes).toBeGreaterThan(6 * 15_000)
  }
}

/** Runs an operator on a real server with the roles that `--rbac` prints, and no others, and expects that it does the same. @param isNarrow whether it reads the Secret by name */
export async function runWithPrintedRoles(program: AuditedProgram, isNarrow: boolean): Promise<void> {
  const { name, expected } = program
  const server = await sharedRealServer()
  const command = await program.command()
  const roles = rolesIn(await printedAudit(command, server, { prints: '--rbac' }))
  const ofSecrets = roles.flatMap(({ rules }) => rules ?? []).filter(({ resources }) => resources?.includes('secrets'))
  for (const { resourceNames } of ofSecrets) expect(resourceNames).toEqual(isNarrow ? [neededSecret] : undefined)
  expect(ofSecrets).not.toEqual([])

  const { kubeconfig } = await server.account(roles, { name })
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const key = { namespace: 'default', name: 'chess-mirror' }
  await client.delete(configMaps, key)
  const { findings, refusals } = await playAudit(command, server, { kubeconfig })
  expect(refusals.filter(({ status }) => status === 403)).toEqual([])
  expect(findings.map(findingName)).toEqual(expected)
  await client.delete(configMaps, key)
}
