// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync } from 'node:fs'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import {
  type BackupManifest,
  type BackupProgress,
  COPY_FILE,
  PARTIAL,
  readManifest,
  type Storage,
} from '../../storage/storage.ts'
import { limitExceeded, ServerError } from '../errors/server-error.ts'
import { SERVER_LIMITS } from '../limits.ts'
import { UsageError } from '../usage-error.ts'

/** How far a backup is, or what it has. */
export type BackupState = Pick<BackupProgress, 'bytesDone' | 'bytesTotal'> & {
  readonly name: string
  readonly state: BackupProgress['state'] | 'done' | 'failed'
  /** Of one that is done. */
  readonly manifest?: BackupManifest
  /** Why it failed. */
  readonly detail?: string
}

type BackupsParts = {
  readonly storage: Storage
  /** Where they are; undefined where the server makes none. */
  readonly folder: string | undefined
  readonly engine: string
  readonly version: string
  readonly log: Logger
}

/** A part of a path that leads nowhere else, on any system. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const FOLDER_MODE = 0o700

/** Copies of this server's database in a folder of this machine: one is made at a time, ordered by an operator. */
export class Backups {
  readonly #parts: BackupsParts
  readonly #folder: string
  readonly #stopping = new AbortController()
  #running: { state: BackupState; readonly ended: Promise<unknown> } | undefined
  /** The last one that failed; it is forgotten with the process. */
  #failed: BackupState | undefined

  /** Makes the folder. Throws UsageError where it cannot be used. */
  constructor(parts: BackupsParts) {
    this.#parts = parts
    this.#folder = resolve(parts.folder ?? '.')
    if (parts.folder === undefined) return
    try {
      mkdirSync(this.#folder, { recursive: true, mode: FOLDER_MODE })
    } catch (error) {
      throw new UsageError(`--backups ${parts.folder}: ${(error as Error).message}.`)
    }
  }

  /**
   * Resolves once the copy has begun. Rejects with ServerError `not_enabled`, `invalid_request`, `backup_running`,
   * `already_exists` or `limit_exceeded`, and with StorageError `disk_full`.
   */
  async begin(name: string, check: boolean): Promise<BackupState> {
    const path = this.#pathOf(name)
    this.#requireNoneRunning()
    const { storage, version: percolite, log } = this.#parts
    const begun = Promise.withResolvers<void>()
    let hasBegun = false
    const state: BackupState = { name, state: 'copying', bytesDone: 0, bytesTotal: 0 }
    // From here on no other one begins.
    const ended = this.#requireRoomFor(name).then(() =>
      storage.backUp({
        ...{ folder: path, percolite, check, signal: this.#stopping.signal },
        onProgress: (progress) => {
          if (this.#running !== undefined) this.#running.state = { name, ...progress }
          hasBegun = true
          begun.resolve()
        },
      }),
    )
    this.#running = { state, ended }
    this.#failed = undefined
    ended
      .then(
        ({ bytes, timestamp }) => log.info({ name, bytes, timestamp }, 'a backup was made'),
        (error: Error) => {
          // What was refused has been answered so.
          if (!hasBegun) return
          const detail = error.message
          log.warn({ name, err: error }, 'a backup was not made')
          this.#failed = { ...(this.#running?.state ?? state), state: 'failed', detail }
        },
      )
      .finally(() => {
        this.#running = undefined
      })
    await Promise.race([begun.promise, ended])
    return this.#running?.state ?? (await this.of(name))
  }

  /** By name: those that are whole, the one that is being made, and what failed or was cut off. */
  async list(): Promise<readonly BackupState[]> {
    const known = new Set(await this.#names())
    for (const state of [this.#running?.state, this.#failed]) {
      if (state !== undefined) known.add(state.name)
    }
    const names = [...known].sort().slice(0, SERVER_LIMITS.backupsMax)
    return await Promise.all(names.map((name) => this.of(name)))
  }

  /** Rejects with ServerError `not_enabled`, `invalid_request` or `unknown_backup`. */
  async of(name: string): Promise<BackupState> {
    const path = this.#pathOf(name)
    if (this.#running?.state.name === name) return this.#running.state
    if (existsSync(path)) return await wholeState(name, path)
    if (this.#failed?.name === name) return this.#failed
    if (!existsSync(`${path}${PARTIAL}`)) throw unknownBackup(name)
    const detail = 'It was cut off. One of the same name takes its place, and DELETE removes it.'
    return { name, state: 'failed', bytesDone: 0, bytesTotal: 0, detail }
  }

  /** The file of one that is done, to be closed by the caller. Rejects as `of`, and with `backup_running`. */
  async open(
    name: string,
  ): Promise<{ readonly file: FileHandle; readonly manifest: BackupManifest }> {
    const { state, manifest, detail } = await this.of(name)
    if (manifest === undefined) {
      throw state === 'failed'
        ? new ServerError('unknown_backup', `The backup ${name} failed: ${detail}`)
        : running(name)
    }
    return { file: await open(join(this.#pathOf(name), COPY_FILE), 'r'), manifest }
  }

  /** Clients that read its file go on. Rejects as `of`, and with `backup_running`. */
  async remove(name: string): Promise<void> {
    const path = this.#pathOf(name)
    if (this.#running?.state.name === name) throw running(name)
    await this.of(name)
    if (this.#failed?.name === name) this.#failed = undefined
    await rm(`${path}${PARTIAL}`, { recursive: true, force: true })
    await rm(path, { recursive: true, force: true })
  }

  /** Ends one that is being made, after its copy: SQLite makes that in one statement. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The server was stopped.'))
    await this.#running?.ended.catch(() => undefined)
  }

  /** Throws ServerError `not_enabled` or `invalid_request`. */
  #pathOf(name: string): string {
    const { folder, engine } = this.#parts
    if (folder === undefined) throw notEnabled(engine)
    if (NAME.test(name)) return join(this.#folder, name)
    throw new ServerError(
      'invalid_request',
      'The name of a backup has letters, digits, _ and -, at most 64, and begins with a letter or digit.',
      { parameter: 'name' },
    )
  }

  #requireNoneRunning(): void {
    if (this.#running !== undefined) throw running(this.#running.state.name)
  }

  async #requireRoomFor(name: string): Promise<void> {
    if (existsSync(this.#pathOf(name))) {
      throw new ServerError('already_exists', `There is a backup ${name} already.`)
    }
    const { length } = await this.#names()
    const { backupsMax } = SERVER_LIMITS
    if (length >= backupsMax) {
      throw limitExceeded('backupsMax', backupsMax, length + 1, 'Backups in the folder')
    }
  }

  /** Of the folders that are backups by their names, whole or cut off. */
  async #names(): Promise<string[]> {
    this.#pathOf('any')
    const entries = await readdir(this.#folder, { withFileTypes: true })
    const names = entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => (name.endsWith(PARTIAL) ? name.slice(0, -PARTIAL.length) : name))
    return [...new Set(names)].filter((name) => NAME.test(name))
  }
}

async function wholeState(name: string, path: string): Promise<BackupState> {
  try {
    const manifest = await readManifest(path)
    return { name, state: 'done', bytesDone: manifest.bytes, bytesTotal: manifest.bytes, manifest }
  } catch (error) {
    const { message: detail } = error as Error
    return { name, state: 'failed', bytesDone: 0, bytesTotal: 0, detail }
  }
}

function unknownBackup(name: string): ServerError {
  return new ServerError('unknown_backup', `There is no backup ${name}.`)
}

function running(name: string): ServerError {
  return new ServerError(
    'backup_running',
    `The backup ${name} is being made: GET /v1/backups/${name} says how far it is.`,
  )
}

function notEnabled(engine: string): ServerError {
  const flag = '--backups'
  if (engine === 'sqlite') {
    return new ServerError(
      'not_enabled',
      'This server makes no backups: start it with --backups DIR.',
      { flag },
    )
  }
  const instead =
    engine === 'memory'
      ? 'the engine memory keeps nothing: read what is to stay by a SCAN'
      : `use the backups of ${engine}, and renew the history after a restore (docs/backup.md)`
  return new ServerError('not_enabled', `Only the engine sqlite has backups; ${instead}.`, { flag })
}
