import { z } from 'zod'
import { defineCustomResource } from '../definition/define.ts'
import type { CustomResource } from '../definition/types.ts'

const gameSpec = z.object({
  players: z.int().min(1).max(64).default(2).describe('How many play.'),
  difficulty: z.enum(['easy', 'hard']),
  deadline: z.iso.datetime().optional(),
})
const gameStatus = z.object({ ready: z.int().optional(), phase: z.string().optional() })

/** A definition with everything that one can have. */
export const game: CustomResource = defineCustomResource({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
  shortNames: ['gm'],
  categories: ['all'],
  description: 'A game of the arcade.',
  spec: gameSpec,
  status: gameStatus,
  scale: { specReplicasPath: '.spec.players', statusReplicasPath: '.status.ready' },
  printColumns: [
    { name: 'Players', jsonPath: '.spec.players' },
    { name: 'Deadline', jsonPath: '.spec.deadline' },
    { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
  ],
  selectableFields: ['.spec.difficulty'],
  validations: [{ rule: 'size(self.metadata.name) <= 20', message: 'the name is too long' }],
  versions: { v1beta1: { spec: z.object({}), served: true, deprecated: 'use v1' } },
})
