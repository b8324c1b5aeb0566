import { expect, it } from 'vitest'
import { peerProblem } from './missing-peer.ts'

const problemOf = async (name: string): Promise<string> => {
  const cause: unknown = await import(/* @vite-ignore */ name).then(
    () => undefined,
    (error: unknown) => error,
  )
  return peerProblem('metrics need', name, cause)
}

it('a peer that is not installed is to be installed', async () => {
  const cause = Object.assign(new Error("Cannot find package 'prom-client' imported from /app/main.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  expect(peerProblem('metrics need', 'prom-client', cause)).toBe(
    'metrics need the package prom-client: npm install prom-client',
  )
})

it('a peer that is there and fails is reported with its own words', async () => {
  const broken = `data:text/javascript,${encodeURIComponent("throw new Error('Dynamic require of fs')")}`
  expect(await problemOf(broken)).toMatch(/which is installed and can't be loaded: Dynamic require of fs$/)
  // A part of it is missing, not the package.
  const cause = Object.assign(new Error("Cannot find package 'tdigest' imported from prom-client"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  expect(peerProblem('metrics need', 'prom-client', cause)).toContain("Cannot find package 'tdigest'")
  expect(peerProblem('metrics need', 'prom-client', 'a text')).toMatch(/: a text$/)
})
