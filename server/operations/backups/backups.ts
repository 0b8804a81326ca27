// SPDX-License-Identifier: Apache-2.0
import { constants, lstatSync, mkdirSync } from 'node:fs'
import { type FileHandle, open, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import {
  BACKUP_NAME_RULE,
  type BackupManifest,
  type BackupProgress,
  COPY_FILE,
  isBackupName,
  MANIFEST_FILE,
  PARTIAL,
  readManifest,
  removeUnfinished,
} from '../../../storage/operations/operations.ts'
import type { Storage } from '../../../storage/storage.ts'
import { requireWithin, ServerError } from '../../errors/server-error.ts'
import { UsageError } from '../../usage-error.ts'

/** How far a backup is, or what it has. */
export type BackupState = Pick<BackupProgress, 'bytesDone' | 'bytesTotal'> & {
  readonly name: string
  readonly state: BackupProgress['state'] | 'done' | 'failed'
  /** Of one that is done. */
  readonly manifest?: BackupManifest
  /** Why it failed. */
  readonly detail?: string
}

export type BackupPage = {
  /** At most this many. */
  readonly limit: number
  /** Of the page before. */
  readonly cursor?: string | undefined
}

export type BackupList = {
  readonly backups: readonly BackupState[]
  /** Where there are more. */
  readonly cursor?: string
}

type BackupsDependencies = {
  readonly storage: Storage
  /** Where they are; undefined where the server makes none. */
  readonly folder: string | undefined
  readonly engine: string
  readonly version: string
  readonly log: Logger
}

/** The one that is being made. */
type Running = { state: BackupState; readonly end: AbortController; ended: Promise<unknown> }

const FOLDER_MODE = 0o700

/** Copies of this server's database in a folder of this machine: one is made at a time, ordered by an operator. */
export class Backups {
  readonly #deps: BackupsDependencies
  readonly #folder: string
  /** Removes what a killed server has left. */
  readonly #cleaned: Promise<void>
  #isStopped = false
  #running: Running | undefined
  /** The last one that failed; it is forgotten with the process. */
  #failed: BackupState | undefined

  /** Makes the folder. Throws UsageError where it cannot be used. */
  constructor(deps: BackupsDependencies) {
    this.#deps = deps
    this.#folder = resolve(deps.folder ?? '.')
    if (deps.folder !== undefined) makeFolder(deps.folder)
    this.#cleaned = deps.folder === undefined ? Promise.resolve() : this.#clean()
  }

  /**
   * Resolves once the copy has begun. Rejects with ServerError `not_enabled`, `invalid_request`, `backup_running`,
   * `already_exists`, `limit_exceeded` or `overloaded`, and with StorageError `already_exists` or `disk_full`.
   */
  async begin(name: string, check: boolean): Promise<BackupState> {
    const folder = this.#pathOf(name)
    if (this.#running !== undefined) throw running(this.#running.state.name)
    if (this.#isStopped) throw new ServerError('overloaded', 'The server is stopping.')
    const begun = Promise.withResolvers<void>()
    const state: BackupState = { name, state: 'copying', bytesDone: 0, bytesTotal: 0 }
    const own: Running = { state, end: new AbortController(), ended: begun.promise }
    // From here on no other one begins.
    this.#running = own
    this.#failed = undefined
    let hasBegun = false
    const onProgress = (progress: BackupProgress) => {
      own.state = { name, ...progress }
      hasBegun = true
      begun.resolve()
    }
    const { storage, version: percolite } = this.#deps
    const made = this.#requireRoomFor(name).then(() =>
      storage.backUp({ folder, percolite, check, signal: own.end.signal, onProgress }),
    )
    own.ended = made
      .then(
        (manifest) => this.#wasMade(name, manifest),
        // What was refused has been answered so.
        (error: Error) => hasBegun && this.#wasNotMade(own, error),
      )
      .finally(() => {
        this.#running = undefined
      })
    await Promise.race([begun.promise, made])
    return this.#running?.state ?? (await this.of(name))
  }

  #wasMade(name: string, { bytes, timestamp }: BackupManifest): void {
    this.#deps.log.info({ name, bytes, timestamp }, 'a backup was made')
  }

  #wasNotMade({ state, end }: Running, error: Error): void {
    const { log } = this.#deps
    const { name } = state
    if (end.signal.aborted) {
      log.info({ name, reason: error.message }, 'a backup was ended')
      return
    }
    log.warn({ name, err: error }, 'a backup was not made')
    this.#failed = { ...state, state: 'failed', detail: error.message }
  }

  /**
   * A page of them by name: those that are whole, the one that is being made, and what failed or was cut off. The
   * `cursor` of the page, where there are more, gives the next one. Rejects with ServerError `bad_cursor`.
   */
  async list({ limit, cursor }: BackupPage): Promise<BackupList> {
    const after = cursor === undefined ? '' : nameOfCursor(cursor)
    await this.#cleaned
    const known = new Set(await this.#names())
    for (const state of [this.#running?.state, this.#failed]) {
      if (state !== undefined) known.add(state.name)
    }
    const left = [...known].filter((name) => name > after).sort()
    const names = left.slice(0, limit)
    const states = await Promise.all(names.map((name) => this.#find(name)))
    // One may have been removed meanwhile.
    const backups = states.filter((state) => state !== undefined)
    const last = names.at(-1)
    const isAll = last === undefined || names.length === left.length
    return isAll ? { backups } : { backups, cursor: Buffer.from(last).toString('base64url') }
  }

  /** Rejects with ServerError `not_enabled`, `invalid_request` or `unknown_backup`. */
  async of(name: string): Promise<BackupState> {
    await this.#cleaned
    const state = await this.#find(name)
    if (state === undefined) throw new ServerError('unknown_backup', `There is no backup ${name}.`)
    return state
  }

  async #find(name: string): Promise<BackupState | undefined> {
    const path = this.#pathOf(name)
    if (this.#running?.state.name === name) return this.#running.state
    if (isFolder(path)) return await wholeState(name, path)
    if (this.#failed?.name === name) return this.#failed
    if (!isFolder(`${path}${PARTIAL}`)) return undefined
    const detail = 'It was cut off. One of the same name takes its place, and DELETE removes it.'
    return { name, state: 'failed', bytesDone: 0, bytesTotal: 0, detail }
  }

  /**
   * The file of one that is done, to be closed by the caller. Rejects as `of`, with `unknown_backup` also where it is
   * not what it was, and with `backup_running`.
   */
  async open(
    name: string,
  ): Promise<{ readonly file: FileHandle; readonly manifest: BackupManifest }> {
    const { state, manifest, detail } = await this.of(name)
    if (manifest === undefined) {
      throw state === 'failed' ? failed(name, `${detail}`) : running(name)
    }
    // No link is followed out of the folder.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)
    const file = await open(join(this.#pathOf(name), COPY_FILE), flags).catch((error: Error) => {
      throw failed(name, error.message)
    })
    const { size } = await file.stat()
    if (size === manifest.bytes) return { file, manifest }
    await file.close()
    throw failed(name, `its file has ${size} bytes, and had ${manifest.bytes} when it was made`)
  }

  /** Ends the one that is being made. Clients that read the file of a whole one go on. Rejects as `of`. */
  async remove(name: string): Promise<void> {
    const path = this.#pathOf(name)
    if (this.#running?.state.name === name) {
      await this.#endRunning('It was removed on request.')
      // It may have become whole just before.
      if (!isFolder(path)) return
    }
    await this.of(name)
    if (this.#failed?.name === name) this.#failed = undefined
    await removeUnfinished(path)
    if (!isFolder(path)) return
    await requireBackup(name, path)
    // Without it the rest is no backup, should this be cut off.
    await rm(join(path, MANIFEST_FILE), { force: true })
    await rm(path, { recursive: true, force: true })
  }

  /** Ends the one that is being made. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#endRunning('The server was stopped.')
    await this.#cleaned
  }

  async #endRunning(reason: string): Promise<void> {
    this.#running?.end.abort(new Error(reason))
    await this.#running?.ended
  }

  async #clean(): Promise<void> {
    const { log } = this.#deps
    for (const name of await this.#names().catch(() => [])) {
      if (this.#isStopped) return
      try {
        const isRemoved = await removeUnfinished(join(this.#folder, name))
        if (isRemoved) log.warn({ name }, 'a backup that was cut off was removed')
      } catch (error) {
        // Another process makes it, or it is none.
        log.warn({ name, err: error }, 'an unfinished backup was left where it is')
      }
    }
  }

  /** Throws ServerError `not_enabled` or `invalid_request`. */
  #pathOf(name: string): string {
    const { folder, engine } = this.#deps
    if (folder === undefined) throw notEnabled(engine)
    if (isBackupName(name)) return join(this.#folder, name)
    throw new ServerError('invalid_request', `The name of a backup ${BACKUP_NAME_RULE}.`, {
      parameter: 'name',
    })
  }

  async #requireRoomFor(name: string): Promise<void> {
    await this.#cleaned
    const path = this.#pathOf(name)
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
      throw new ServerError('already_exists', `There is a backup ${name} already.`)
    }
    const { length } = await this.#names()
    requireWithin('backupsMax', length + 1, 'Backups in the folder')
  }

  /** Of the folders that are backups by their names, whole or cut off; none where the folder has been removed. */
  async #names(): Promise<string[]> {
    this.#pathOf('any')
    const entries = await readdir(this.#folder, { withFileTypes: true }).catch((error) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    const names = entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => (name.endsWith(PARTIAL) ? name.slice(0, -PARTIAL.length) : name))
    return [...new Set(names)].filter(isBackupName)
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(resolve(folder), { recursive: true, mode: FOLDER_MODE })
  } catch (error) {
    throw new UsageError(`--backups ${folder}: ${(error as Error).message}.`)
  }
}

/** A link to one is none: what it leads to is not in the folder of the backups. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The cursor of a page is the last name of it, so that a name that is removed meanwhile is no harm. */
function nameOfCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString()
  if (isBackupName(name)) return name
  throw new ServerError('bad_cursor', 'This is no cursor of a list of backups.')
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

/** All that a backup has, of whatever version, and what a check of it in its place has left. */
const OWN_FILE = /^(?:(?:cells|lock)\.db(?:-\w+)?|lock\.pid|manifest\.json)$/

/** Nothing is removed by its name alone. Rejects with ServerError `unknown_backup`. */
async function requireBackup(name: string, path: string): Promise<void> {
  const foreign = (await readdir(path)).find((file) => !OWN_FILE.test(file))
  if (foreign === undefined) return
  throw new ServerError(
    'unknown_backup',
    `${name} is no backup, for it has something else in it: ${foreign}. Remove it by hand.`,
  )
}

function failed(name: string, detail: string): ServerError {
  return new ServerError('unknown_backup', `The backup ${name} failed: ${detail}`)
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
