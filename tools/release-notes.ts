// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endMisused, scriptFlags } from './script-flags.ts'

const HELP = `node tools/release-notes.ts <tag>

Prints what CHANGELOG.md says of a version, for a tag such as v0.1.0. Fails where the tag is not the version of
package.json and of the client, or the page has no heading for it.`

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The text below the heading of a version, without the heading. Throws where there is none, or nothing below it. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m)
  const section = sections.find((each) => /^\S+/.exec(each)?.[0] === version)
  const notes = section?.slice(section.indexOf('\n')).trim() ?? ''
  if (notes === '') throw new Error(`CHANGELOG.md says nothing below a heading "## ${version}"`)
  return notes
}

function versionOf(manifest: string): string {
  return JSON.parse(readFileSync(`${ROOT}${manifest}`, 'utf8')).version
}

if (import.meta.main) {
  const { positionals } = scriptFlags(HELP, {}, { allowPositionals: true })
  const [tag] = positionals
  if (tag === undefined) endMisused(HELP, 'It needs the tag.')
  for (const manifest of ['package.json', 'client-sdk/package.json']) {
    const version = versionOf(manifest)
    if (tag !== `v${version}`)
      endMisused(HELP, `${manifest} has the version ${version}, and the tag is ${tag}.`)
  }
  console.log(notesOf(readFileSync(`${ROOT}CHANGELOG.md`, 'utf8'), tag.slice(1)))
}
