import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { text } from '@wherry/client/internal'
import { MigrationError } from '../errors.ts'
import { type MigrationState, parseState, type StateStore } from './migration-state.ts'

/**
 * Keeps the state of migrations in a file, which may have the states of several definitions. The file is deleted when all
 * their migrations are done. Only one program at a time may use it, by one store that all its migrations share. Delete the
 * file after you restore etcd from a backup, because its state is then too new.
 *
 * @param path the file; its folder must exist.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { fileState, migrateStorage } from '@wherry/storage-migrator'
 *
 * const [client, definition] = [await Client.connect(), 'games.arcade.example.com']
 * const state = fileState('migration.json')
 * await migrateStorage({ client, definition, state }) // continues a run that was killed
 * ```
 */
export function fileState(path: string): StateStore {
  text('fileState.path', path)
  return new FileState(path)
}

class FileState implements StateStore {
  readonly #path: string
  /** The last call, which the next call waits for: several migrations of a program may share the file. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  load(definition: string): Promise<MigrationState | undefined> {
    return this.#inTurn(async () => {
      const state = (await this.#read(definition))[definition]
      return state === undefined ? undefined : parseState(definition, JSON.stringify(state), this.#path)
    })
  }

  save(definition: string, state: MigrationState): Promise<void> {
    return this.#inTurn(async () => this.#write({ ...(await this.#read(definition)), [definition]: state }))
  }

  clear(definition: string): Promise<void> {
    return this.#inTurn(async () => {
      const { [definition]: own, ...others } = await this.#read(definition)
      if (own === undefined) return
      if (Object.keys(others).length > 0) await this.#write(others)
      else await rm(this.#path, { force: true })
    })
  }

  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#last.then(call)
    this.#last = result.catch(() => {})
    return result
  }

  async #read(definition: string): Promise<Record<string, unknown>> {
    let content: string
    try {
      content = await readFile(this.#path, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
    const states = parsed(content)
    if (states !== undefined) return states
    const why = `${this.#path} has no states of migrations: name another file, or delete it`
    throw new MigrationError('INVALID_STATE', definition, why)
  }

  /** Writes the file atomically: the new file replaces the old file once it is on the disk. */
  async #write(states: Record<string, unknown>): Promise<void> {
    const next = `${this.#path}.tmp`
    const file = await open(next, 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(states)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(next, this.#path)
    const folder = await open(dirname(this.#path), 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}

function parsed(content: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(content)
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
