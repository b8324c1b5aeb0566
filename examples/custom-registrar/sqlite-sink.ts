import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { KubernetesObject, View } from '@wherry/client'
import type { Sink, SinkEvent, SinkSynced } from '@wherry/watch-manager'

/**
 * Keeps a row for each object of each view. A file keeps what an earlier process wrote: each replay has a number, which
 * its rows carry, and the rows of earlier ones are swept at its end. So it does not matter when a process is killed: the
 * next one's replay puts everything right.
 */
export class SqliteSink implements Sink<KubernetesObject> {
  readonly #database: DatabaseSync
  readonly #statements: Readonly<Record<keyof typeof statements, StatementSync>>
  #closed = false

  constructor(file: string) {
    this.#database = new DatabaseSync(file)
    this.#database.exec(schema)
    const prepared = Object.entries(statements).map(([name, text]) => [name, this.#database.prepare(text)])
    this.#statements = Object.fromEntries(prepared)
  }

  event(event: SinkEvent<KubernetesObject>): void {
    const { begin, put, remove } = this.#statements
    switch (event.type) {
      case 'reset':
        begin.run(event.view.key)
        break
      case 'changed': {
        const version = event.object.metadata?.resourceVersion ?? ''
        put.run(event.view.key, event.key, version, JSON.stringify(event.object), event.view.key)
        break
      }
      case 'deleted':
        remove.run(event.view.key, event.key)
        break
      case 'synced':
        this.#atOnce(() => this.#sweep(event))
    }
  }

  rescoped(from: View, to: View): void {
    const { known, clear, move, moveReplay } = this.#statements
    this.#atOnce(() => {
      // A call is repeated where it was thought to have failed: then there is nothing to move any more.
      if (known.get(from.key) === undefined) return
      clear.run(to.key)
      move.run(to.key, from.key)
      moveReplay.run(to.key, from.key)
    })
  }

  /** The stored objects of a view: resourceVersions by key. */
  contents(view: View): Map<string, string> {
    return new Map(this.#statements.list.all(view.key).map(row => [`${row.key}`, `${row.version}`]))
  }

  /** Closes the file. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#database.close()
  }

  /** Rows that the replay did not come to are gone, but for those of objects that are there all the same. */
  #sweep({ view, failed, retrying }: SinkSynced): void {
    const { keep, sweep } = this.#statements
    for (const key of [...failed, ...retrying]) keep.run(view.key, view.key, key)
    sweep.run(view.key, view.key)
  }

  #atOnce(fn: () => void): void {
    this.#database.exec('BEGIN')
    try {
      fn()
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
  }
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS replays (view TEXT PRIMARY KEY, number INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS objects (
    view TEXT, key TEXT, version TEXT NOT NULL, object TEXT NOT NULL, replay INTEGER NOT NULL, PRIMARY KEY (view, key)
  );
`

const statements = {
  begin: 'INSERT INTO replays VALUES (?, 1) ON CONFLICT (view) DO UPDATE SET number = number + 1',
  put: 'INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, (SELECT number FROM replays WHERE view = ?))',
  remove: 'DELETE FROM objects WHERE view = ? AND key = ?',
  keep: 'UPDATE objects SET replay = (SELECT number FROM replays WHERE view = ?) WHERE view = ? AND key = ?',
  sweep: 'DELETE FROM objects WHERE view = ? AND replay < (SELECT number FROM replays WHERE view = ?)',
  known: 'SELECT number FROM replays WHERE view = ?',
  clear: 'DELETE FROM objects WHERE view = ?',
  move: 'UPDATE objects SET view = ? WHERE view = ?',
  moveReplay: 'UPDATE OR REPLACE replays SET view = ? WHERE view = ?',
  list: 'SELECT key, version FROM objects WHERE view = ?',
} as const
