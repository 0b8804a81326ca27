// SPDX-License-Identifier: Apache-2.0
import { X509Certificate } from 'node:crypto'
import { unwatchFile, watchFile } from 'node:fs'
import { createSecureContext, type Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import { readRegularSync } from '../../../storage/operations/operations.ts'
import { reasonOf } from '../../errors/server-error.ts'
import { PEM_FILE_BYTES_MAX } from '../../limits.ts'
import { UsageError } from '../../usage-error.ts'

/** How often is looked whether the files have changed: links in a folder that is exchanged are seen too. */
const LOOK_MS = 5_000
const EXPIRY_WARNED_DAYS = 14
const DAY_MS = 86_400_000

export type TlsPaths = { readonly certificate: string; readonly key: string }

/** From the two flags: undefined where neither is given. Throws UsageError where one is missing. */
export function tlsPathsOf(certificate: string, key: string): TlsPaths | undefined {
  if (certificate === '' && key === '') return undefined
  if (certificate !== '' && key !== '') return { certificate, key }
  const missing = certificate === '' ? '--tls-cert' : '--tls-key'
  throw new UsageError(`--tls-cert and --tls-key belong together; ${missing} is missing.`)
}

/** What a server of TLS is made with. */
export type TlsCredentials = {
  readonly cert: Buffer
  readonly key: Buffer
  readonly minVersion: 'TLSv1.2'
}

/**
 * The certificate and the key of the server, from two PEM files. They are read again when they change, for connections
 * that are made from then on; what cannot be used is logged, and the server goes on with what it has.
 */
export class TlsFiles {
  readonly #paths: TlsPaths
  readonly #log: Logger
  #credentials: TlsCredentials
  #server: TlsServer | undefined

  /** Throws UsageError where the files cannot be used. */
  constructor(paths: TlsPaths, log: Logger) {
    this.#paths = paths
    this.#log = log
    this.#credentials = this.#read()
  }

  get credentials(): TlsCredentials {
    return this.#credentials
  }

  /** Hands what changes to this server, until `stop`. */
  watch(server: TlsServer): void {
    this.#server = server
    const options = { interval: LOOK_MS, persistent: false }
    for (const path of this.#files) watchFile(path, options, this.#onChange)
  }

  /** Reads the files again, and hands over what has changed. Never throws. */
  reload(): void {
    try {
      const credentials = this.#read()
      const before = this.#credentials
      if (credentials.cert.equals(before.cert) && credentials.key.equals(before.key)) return
      this.#server?.setSecureContext(credentials)
      this.#credentials = credentials
      const { validTo } = new X509Certificate(credentials.cert)
      this.#log.info({ validTo }, 'the certificate was read again')
    } catch (error) {
      const { message } = error as Error
      this.#log.error(
        { reason: message },
        'the certificate was not exchanged, the one before is still used',
      )
    }
  }

  stop(): void {
    for (const path of this.#files) unwatchFile(path, this.#onChange)
  }

  readonly #onChange = (): void => this.reload()

  get #files(): readonly string[] {
    return [this.#paths.certificate, this.#paths.key]
  }

  #read(): TlsCredentials {
    const { certificate, key: keyPath } = this.#paths
    const cert = readPem('--tls-cert', certificate, 'CERTIFICATE')
    const key = readPem('--tls-key', keyPath, 'PRIVATE KEY')
    const credentials = { cert, key, minVersion: 'TLSv1.2' } as const
    let validTo: Date
    try {
      validTo = new X509Certificate(cert).validToDate
    } catch (error) {
      throw new UsageError(
        `--tls-cert ${certificate}: the certificate cannot be read: ${reasonOf(error)}.`,
      )
    }
    try {
      createSecureContext(credentials)
    } catch (error) {
      throw new UsageError(
        `--tls-key ${keyPath}: it is not the key of ${certificate}, or has a passphrase: ${reasonOf(error)}.`,
      )
    }
    this.#warnOfExpiry(validTo)
    return credentials
  }

  #warnOfExpiry(validTo: Date): void {
    const daysLeft = Math.floor((validTo.getTime() - Date.now()) / DAY_MS)
    if (daysLeft >= EXPIRY_WARNED_DAYS) return
    this.#log.warn(
      { validTo: validTo.toISOString(), daysLeft },
      daysLeft < 0
        ? 'the certificate has expired: clients refuse it'
        : 'the certificate expires soon',
    )
  }
}

function readPem(flag: string, path: string, kind: string): Buffer {
  let text: Buffer
  try {
    text = readRegularSync(path, PEM_FILE_BYTES_MAX)
  } catch (error) {
    throw new UsageError(`${flag} ${path}: it cannot be read: ${reasonOf(error)}.`)
  }
  if (text.includes(`${kind}-----`)) return text
  throw new UsageError(`${flag} ${path}: there is no ${kind} in it; a PEM file is wanted.`)
}
