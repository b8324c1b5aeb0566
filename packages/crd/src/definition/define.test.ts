import { defineResource, InvalidNameError, OptionTypeError } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { game } from '../testkit/game.ts'
import { defineCustomResource } from './define.ts'
import type { NamesOf, ObjectOf } from './types.ts'

const names = { group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true } as const
const spec = z.object({ players: z.int(), tags: z.array(z.string()) })

describe('defineCustomResource', () => {
  it('K1: gives the definition whole, with what the options say and no more', () => {
    expect(game.definition).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'games.arcade.example.com' },
      spec: {
        group: 'arcade.example.com',
        scope: 'Namespaced',
        names: {
          kind: 'Game',
          listKind: 'GameList',
          plural: 'games',
          singular: 'game',
          shortNames: ['gm'],
          categories: ['all'],
        },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                description: 'A game of the arcade.',
                type: 'object',
                properties: {
                  apiVersion: { type: 'string' },
                  kind: { type: 'string' },
                  metadata: { type: 'object' },
                  spec: {
                    type: 'object',
                    properties: {
                      players: { type: 'integer', description: 'How many play.', default: 2, minimum: 1, maximum: 64 },
                      difficulty: { type: 'string', enum: ['easy', 'hard'] },
                      deadline: { type: 'string', format: 'date-time' },
                    },
                    required: ['difficulty'],
                  },
                  status: {
                    type: 'object',
                    properties: { ready: { type: 'integer', format: 'int64' }, phase: { type: 'string' } },
                  },
                },
                required: ['spec'],
                'x-kubernetes-validations': [
                  { rule: 'size(self.metadata.name) <= 20', message: 'the name is too long' },
                ],
              },
            },
            subresources: {
              status: {},
              scale: { specReplicasPath: '.spec.players', statusReplicasPath: '.status.ready' },
            },
            additionalPrinterColumns: [
              { name: 'Players', jsonPath: '.spec.players', type: 'integer' },
              { name: 'Deadline', jsonPath: '.spec.deadline', type: 'date' },
              { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
            ],
            selectableFields: [{ jsonPath: '.spec.difficulty' }],
          },
          {
            name: 'v1beta1',
            served: true,
            storage: false,
            deprecated: true,
            deprecationWarning: 'use v1',
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  apiVersion: { type: 'string' },
                  kind: { type: 'string' },
                  metadata: { type: 'object' },
                  spec: { type: 'object' },
                },
                required: ['spec'],
              },
            },
          },
        ],
      },
    })
  })

  it('gives the view that an operator defines with the names alone', () => {
    const { resource } = defineCustomResource({ ...names, spec })
    type Defined = { options: typeof names & { spec: typeof spec } }
    const own = defineResource<ObjectOf<Defined>>(names satisfies NamesOf<Defined>)
    expect(resource.key).toBe(own.key)
  })

  it.for([
    [
      'scale',
      { scale: { specReplicasPath: '.spec.none', statusReplicasPath: '.spec.players' } },
      'scale: names .spec.none',
    ],
    ['a column', { printColumns: [{ name: 'X', jsonPath: '.spec.none' }] }, 'printColumns: names .spec.none'],
    ['a selectable field', { selectableFields: ['.spec.none'] }, 'selectableFields: names .spec.none'],
    [
      'a selectable list',
      { selectableFields: ['.spec.tags'] },
      'selectableFields: names .spec.tags, which is not a string',
    ],
    ['a status', { status: z.object({ at: z.date() }) }, 'status.at: is a date'],
    ['another version', { versions: { v2: { spec: z.object({ at: z.date() }) } } }, 'versions.v2.spec.at: is a date'],
    ['its own version', { versions: { v1: { spec } } }, "versions takes versions other than 'v1'"],
    ['a group', { group: 'arcade' }, 'group takes a domain with a dot'],
  ] as const)('K1: names where it is wrong: %s', ([, wrong, message]) => {
    expect(() => defineCustomResource({ ...names, spec, ...wrong })).toThrow(OptionTypeError)
    expect(() => defineCustomResource({ ...names, spec, ...wrong })).toThrow(message)
  })

  it('K1: refuses each rule that does not compile, by its path, of whichever version, without a server', () => {
    const rule = (text: string) => ({ 'x-kubernetes-validations': [{ rule: text }] })
    const spec = {
      ...{ type: 'object', ...rule('has(self.players)') },
      properties: {
        players: { type: 'array', items: { type: 'integer', ...rule('self.none') } },
        names: { type: 'object', additionalProperties: { type: 'string', ...rule('1') } },
      },
    }
    const resource = {
      group: 'arcade.example.com',
      version: 'v2',
      kind: 'Game',
      plural: 'games',
      namespaced: true,
    } as const
    const validations = [{ rule: 'self.spec.x == 1' }]
    const define = () => defineCustomResource({ ...resource, spec: { type: 'object' }, validations })
    expect(define).toThrow(/^validations\[0\]\.rule: compilation failed: .*undefined field 'x'/)
    const older = () => defineCustomResource({ ...resource, spec: { type: 'object' }, versions: { v1: { spec } } })
    expect(older).toThrow(/versions\.v1\.spec\.players\[\]: x-kubernetes-validations\[0\]\.rule: compilation failed/)
    expect(older).toThrow(
      'versions.v1.spec.names{}: x-kubernetes-validations[0].rule: cel expression must evaluate to a bool',
    )
    expect(older).not.toThrow('has(self.players)')
  })

  it('refuses a name that can be no part of a path', () => {
    expect(() => defineCustomResource({ ...names, spec, plural: 'Games' })).toThrow(InvalidNameError)
  })
})
