import type { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import type { Simulation } from '@wherry/testing'
import { expect } from 'vitest'

/** The names of the games of a random test. */
export const names: readonly string[] = Array.from({ length: 10 }, (_, n) => `g${n}`)

/** Lets time go on until nothing is left, or fails after `ms`. */
export async function emptyWithin(ms: number, left: () => Promise<string[]>, simulation: Simulation): Promise<void> {
  const stepMs = 5_000
  let found = await left()
  for (let at = 0; at < ms && found.length > 0; at += stepMs) {
    await simulation.advance(stepMs)
    found = await left()
  }
  expect(found, `after ${ms} ms`).toEqual([])
}

/** The names of the games without a ConfigMap that has their last title. */
export async function untitled(client: Client): Promise<string[]> {
  const { items } = await client.list(configMaps.within({ namespaces: ['default'] }))
  const titles = new Map(items.map(({ metadata, data }) => [metadata.name, data?.title]))
  return names.filter(name => titles.get(`${name}-config`) !== `last ${name}`)
}
