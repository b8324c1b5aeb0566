import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'

/**
 * Runs `work` while no other process holds the lock at `path` (a folder), and takes over the lock of a process that
 * has died. `onWait` is called once, with the holder's process id, if another process has the lock. Processes that take over
 * the lock of a dead one at the same moment may both hold it, so `work` must do no harm if it runs twice at once.
 */
export async function withLock<T>(path: string, onWait: (holder: number) => void, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true })
  let reported = false
  for (;;) {
    if (await take(path)) break
    const holder = await holderOf(path)
    if (holder !== undefined && isAlive(holder)) {
      if (!reported) onWait(holder)
      reported = true
      await after(200)
      continue
    }
    // A lock without a process id may be just being taken, so this checks after a while whether it has changed.
    await after(300)
    if ((await holderOf(path)) === holder) await breakLock(path)
  }
  try {
    return await work()
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await mkdir(path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw cause
  }
  await writeFile(join(path, 'pid'), String(process.pid))
  return true
}

async function holderOf(path: string): Promise<number | undefined> {
  const text = await readFile(join(path, 'pid'), 'utf8').catch(() => '')
  return Number(text) || undefined
}

/** Whether a process of this id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function breakLock(path: string): Promise<void> {
  const dead = `${path}.dead-${process.pid}`
  // If another process has broken the lock already, there is nothing left to rename, or a new lock: see `withLock`.
  await rename(path, dead).catch(() => undefined)
  await rm(dead, { recursive: true, force: true })
}
