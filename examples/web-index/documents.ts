// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'

/** A document as the crawler of the paper would hand it over; the url is its path below the folder. */
export type Document = { readonly url: string; readonly contents: string }

export type Corpus = {
  readonly documents: readonly Document[]
  readonly bytes: number
  /** Why files were left out, and how many for each reason. */
  readonly skipped: ReadonlyMap<string, number>
}

const DOCUMENT_BYTES_MAX = 1024 * 1024
const DOCUMENTS_MAX = 100_000
const CORPUS_BYTES_MAX = 512 * 1024 * 1024

const PAGE = /\.(md|markdown|html?)$/i
const LICENCE = /^(licen[sc]e|copying|notice|copyright)([-_][^.]*)?(\.(txt|rst|mit|apache|bsd))?$/i

/** Reads every Markdown, licence and HTML file below `folder`, links not followed. */
export async function readDocuments(folder: string): Promise<Corpus> {
  const root = resolve(folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && (PAGE.test(entry.name) || LICENCE.test(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

  const documents: Document[] = []
  const skipped = new Map<string, number>()
  let bytes = 0
  for (const path of paths) {
    const { size } = await stat(path)
    const contents = await readContents(path, size, bytes, documents.length)
    if ('skipped' in contents) {
      skipped.set(contents.skipped, (skipped.get(contents.skipped) ?? 0) + 1)
      continue
    }
    bytes += size
    const url = [basename(root), ...relative(root, path).split(sep)].join('/')
    documents.push({ url, contents: contents.text })
  }
  return { documents, bytes, skipped }
}

async function readContents(
  path: string,
  size: number,
  bytesBefore: number,
  documentsBefore: number,
): Promise<{ readonly text: string } | { readonly skipped: string }> {
  if (size > DOCUMENT_BYTES_MAX) return { skipped: 'larger than 1 MiB' }
  if (documentsBefore >= DOCUMENTS_MAX) return { skipped: 'beyond the first 100,000' }
  if (bytesBefore + size > CORPUS_BYTES_MAX) return { skipped: 'beyond the first 512 MiB' }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    return { text: decoder.decode(await readFile(path)) }
  } catch {
    return { skipped: 'not readable as UTF-8' }
  }
}

export function hashOf(contents: string): string {
  return createHash('sha256').update(contents).digest('hex')
}
