import type { Filling } from '../../../../tools/demo/game/objects.ts'

/** What the game is played with. */
export function filling(objects: number): Filling {
  return { namespace: 'arcade', objects, bytes: 500_000 }
}
