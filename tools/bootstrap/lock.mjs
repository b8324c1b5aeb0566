import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'

/**
 * Runs `work` while no other process holds the lock at `path` (a folder). Waits for the holder, and takes the lock
 * from one that died with it.
 *
 * @template T
 * @param {string} path
 * @param {(holder: number) => void} onWait called once, with the holder's process id
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, onWait, work) {
  mkdirSync(dirname(path), { recursive: true })
  let waiting = false
  while (!take(path)) {
    const holder = holderOf(path)
    if (holder === undefined || !isAlive(holder)) {
      if (await isStale(path, holder)) breakLock(path)
      continue
    }
    if (!waiting) onWait(holder)
    waiting = true
    await after(200)
  }
  const release = () => rmSync(path, { recursive: true, force: true })
  process.once('exit', release)
  try {
    return await work()
  } finally {
    process.off('exit', release)
    release()
  }
}

/** @param {string} path */
function take(path) {
  try {
    mkdirSync(path)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false
    throw error
  }
  writeFileSync(join(path, 'pid'), String(process.pid))
  return true
}

/** @param {string} path */
function holderOf(path) {
  try {
    return Number(readFileSync(join(path, 'pid'), 'utf8')) || undefined
  } catch {
    return undefined
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

/**
 * Whether the lock is still that of the dead: one without a process id may have been taken this very moment.
 *
 * @param {string} path
 * @param {number | undefined} holder
 */
async function isStale(path, holder) {
  await after(300)
  return holderOf(path) === holder
}

/** @param {string} path */
function breakLock(path) {
  const dead = `${path}.dead-${process.pid}`
  try {
    renameSync(path, dead)
  } catch {
    return
  }
  rmSync(dead, { recursive: true, force: true })
}
