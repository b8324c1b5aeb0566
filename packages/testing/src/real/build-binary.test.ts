import { existsSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cachedBinary } from './binary-cache.ts'
import { buildApiServer } from './build-binary.ts'

/**
 * A Go that writes its arguments where it should write a program, and counts how often it built; on request not before
 * a file is there.
 */
const GO = `#!/bin/sh
case "$1" in
  version) echo go version go1.26.0 test/test ;;
  list) printf 'a\\nb\\nc\\n' ;;
  build)
    echo built >> "$BUILDS"
    case "$2$3" in *-modfile=*) echo "$2 $3" >> "$BUILDS" ;; esac
    while [ -n "$UNTIL" ] && [ ! -e "$UNTIL" ]; do sleep 0.05; done
    if [ -n "$FAILURE" ]; then echo "$FAILURE" >&2; exit 1; fi
    while [ "$1" != -o ]; do shift; done
    echo program > "$2" ;;
esac
`

describe('building the real API server', () => {
  let folder: string
  let env: NodeJS.ProcessEnv
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wherry-build-'))
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin/go'), GO, { mode: 0o755 })
    env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, XDG_CACHE_HOME: folder, BUILDS: join(folder, 'builds') }
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('builds once for two that ask at once, and not again', async () => {
    const waiting = `process ${process.pid} is building it already; waiting for it`
    // The build is not over before the other one has found it.
    const found = { ...env, UNTIL: join(folder, 'found') }
    const onProgress = (line: string): void => {
      if (line === waiting) writeFileSync(found.UNTIL, '')
    }
    const both = await Promise.all([
      buildApiServer({ env: found, onProgress }),
      buildApiServer({ env: found, onProgress }),
    ])
    expect(both).toEqual([cachedBinary(env), cachedBinary(env)])
    expect(existsSync(found.UNTIL)).toBe(true)
    await buildApiServer({ env })
    expect(await readFile(join(folder, 'builds'), 'utf8')).toBe('built\n')
    expect(await readdir(dirname(cachedBinary(env)))).toHaveLength(1)
  })

  it('builds another version from modules of its own, into a file of its own', async () => {
    const path = await buildApiServer({ env, version: '1.36' })
    expect(path).not.toBe(cachedBinary(env))
    expect(await readFile(join(folder, 'builds'), 'utf8')).toContain('-modfile=go-1.36.mod')
    const refused = buildApiServer({ env, version: '1.12' })
    await expect(refused).rejects.toMatchObject({ code: 'API_SERVER_VERSION', available: ['1.37', '1.36', '1.34'] })
  })

  it('takes over from a build that was killed, and removes what it left', async () => {
    const path = cachedBinary(env)
    await mkdir(`${path}.lock`, { recursive: true })
    // No process has this id: the kernel's own thread counts as one that cannot be signalled.
    await writeFile(join(`${path}.lock`, 'pid'), '4194999')
    await writeFile(`${path}.partial-4194999`, 'half a program')
    const ofRunning = `${path}.partial-${process.ppid}`
    await writeFile(ofRunning, 'half a program')
    await buildApiServer({ env })
    expect(await readdir(dirname(path))).toEqual([basename(path), basename(ofRunning)])
  })

  it.for([
    ['write x.o: no space left on device', /^the disk is full/],
    ['go: example.com/x@v1: dial tcp: lookup example.com: no such host', /^the Go modules cannot be fetched/],
    ['verifying module: checksum mismatch', /^a module is not what go.sum says/],
    ['go: go.mod requires go >= 1.26.0 (running go 1.20)', /^this Go is too old/],
    ['compile: signal: killed', /^the compiler was killed/],
    ['main.go:1: what?', /^go build ended with 1: main.go:1: what\?$/],
  ] as const)('says in one line what to do about: %s', async ([said, message]) => {
    const failure = buildApiServer({ env: { ...env, FAILURE: said } })
    await expect(failure).rejects.toMatchObject({
      code: 'API_SERVER_BUILD_FAILED',
      message: expect.stringMatching(message),
      log: expect.stringContaining(said),
    })
    expect(existsSync(cachedBinary(env))).toBe(false)
    expect(await readdir(dirname(cachedBinary(env)))).toEqual([])
  })

  it('says how to get Go when it is not there', async () => {
    await rm(join(folder, 'bin/go'))
    const failure = buildApiServer({ env: { ...env, PATH: join(folder, 'bin') } })
    await expect(failure).rejects.toThrow(/^Go is not there: install Go 1\.26 or later/)
  })
})
