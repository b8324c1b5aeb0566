import type { ApiServer } from '@wherry/apiserver'
import { askBackstage } from '@wherry/apiserver/internal'
import { claimsPart } from './claims.ts'
import { deploymentPart } from './deployments.ts'
import { jobsPart } from './jobs.ts'
import { checkPlayOptions, type PlayOptions } from './options.ts'
import { claimKind, deploymentKind, jobKind, podKind, replicaSetKind, statefulSetKind } from './played-kind.ts'
import { podsPart } from './pods.ts'
import { replicaSetPart } from './replica-sets.ts'
import { Scene } from './scene.ts'
import { statefulSetPart } from './stateful-sets.ts'

/** A running play of a part of a cluster. */
export interface Player extends AsyncDisposable {
  /**
   * Resolves when there is nothing left to play at this time: the player has seen all objects of the server, and has written the consequences. It does not
   * wait for later changes. Rejects with the first error of the play since the last call (`code`: `ERR_WHERRY_PLAY`), unless `onError` received it.
   */
  settled(): Promise<void>
  /**
   * Ends the play. Its objects stay. Resolves when no request, watch or timer is left. Rejects with the first error of the play that
   * no `settled` rejected with, unless `onError` received it. Idempotent.
   */
  close(): Promise<void>
}

/**
 * Plays the parts of a cluster that are not in an API server: a scheduler, a kubelet, the controllers of workloads. Pods run and end, Jobs complete,
 * Deployments and StatefulSets become ready, claims are bound. It plays only the kinds in the options, by the clock of the server, which a test may
 * simulate.
 *
 * On an embedded server in this process, the player's requests meet no faults, and are not counted. On any other server it connects as the
 * administrator: close the player before the server.
 *
 * Throws a `TypeError` or `RangeError` with the code `ERR_WHERRY_OPTION` for unknown and invalid options. Rejects if the server can't be
 * reached.
 *
 * @example
 * ```ts
 * import { play, startApiServer } from '@wherry/testing'
 *
 * const server = await startApiServer()
 * const player = await play(server, { pods: { readyAfterMs: 1000 }, deployments: true })
 * // … a Deployment that is created now is available a second later.
 * await player.close()
 * await server.close()
 * ```
 */
export async function play(server: ApiServer, options: PlayOptions): Promise<Player> {
  checkPlayOptions(options)
  const { pods, jobs, deployments, statefulSets, persistentVolumeClaims, onError } = options
  const { asker, clock } = await askBackstage(server)
  const errors: unknown[] = []
  const report = async (error: Error): Promise<void> => {
    try {
      if (onError === undefined) errors.push(error)
      else await onError(error)
    } catch (thrown) {
      errors.push(thrown)
    }
  }
  const scene = new Scene(asker, clock, report)
  const isPlayed = (option: unknown): boolean => option !== undefined && option !== false
  if (isPlayed(persistentVolumeClaims)) scene.add(claimKind, claimsPart(persistentVolumeClaims))
  if (pods !== undefined && pods !== false) scene.add(podKind, podsPart(scene, pods, isPlayed(persistentVolumeClaims)))
  if (jobs || deployments || statefulSets || persistentVolumeClaims) scene.add(podKind)
  if (jobs) scene.add(jobKind, jobsPart(scene))
  if (deployments) {
    scene.add(replicaSetKind, replicaSetPart)
    scene.add(deploymentKind, deploymentPart)
  }
  if (statefulSets) {
    scene.add(claimKind)
    scene.add(statefulSetKind, statefulSetPart)
  }
  const check = (): void => {
    const thrown = errors.splice(0)
    if (thrown.length > 0) throw thrown[0]
  }
  let closing: Promise<void> | undefined
  const end = async (): Promise<void> => {
    await scene.close()
    asker.close()
  }
  const close = (): Promise<void> => {
    closing ??= end().then(check)
    return closing
  }
  try {
    await scene.start()
  } catch (error) {
    await end()
    throw error
  }
  return {
    async settled() {
      await scene.settled()
      check()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
