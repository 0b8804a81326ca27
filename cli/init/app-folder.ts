// SPDX-License-Identifier: Apache-2.0
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { packageFilePath, packageVersion } from '../../server/package-files.ts'
import { UsageError } from '../../server/usage-error.ts'

type App = {
  readonly name: string
  readonly template: string
  /** The folder of packages that stand in for those of the registry. */
  readonly packages: string | undefined
}

type Manifest = { readonly dependencies: Readonly<Record<string, string>>; readonly name?: string }

/** The files in which the name of the app stands, as `app-name`. */
const NAMED = ['README.md', 'index.html', 'settings.ts']
/** npm packs no file of the name .gitignore. */
const IGNORED = 'gitignore'

/** Writes the files of an app into a folder, which is made. Throws UsageError for packages that are not there. */
export function writeApp(folder: string, { name, template, packages }: App): void {
  const [base, own] = ['base', template].map((each) => packageFilePath(`templates/${each}`)) as [
    string,
    string,
  ]
  const tarballs = packages === undefined ? {} : tarballsOf(packages)
  mkdirSync(folder, { recursive: true })
  for (const from of [base, own]) cpSync(from, folder, { recursive: true })
  renameSync(join(folder, IGNORED), join(folder, `.${IGNORED}`))
  for (const file of NAMED) {
    const text = readFileSync(join(folder, file), 'utf8')
    writeFileSync(join(folder, file), text.replaceAll('app-name', name))
  }
  const [manifest, more] = [manifestOf(base), manifestOf(own)] as [Manifest, Manifest | undefined]
  const dependencies = { ...manifest.dependencies, ...more?.dependencies }
  for (const each of PACKAGES) dependencies[each] = packageVersion()
  for (const [each, file] of Object.entries(tarballs)) {
    mkdirSync(join(folder, 'packages'), { recursive: true })
    copyFileSync(join(packages as string, file), join(folder, 'packages', file))
    dependencies[each] = `file:packages/${file}`
  }
  const text = JSON.stringify({ ...manifest, name, dependencies }, undefined, 2)
  writeFileSync(join(folder, 'package.json'), `${text}\n`)
}

const PACKAGES = ['percolite', '@percolite/client'] as const

function manifestOf(folder: string): Manifest | undefined {
  if (!readdirSync(folder).includes('package.json')) return undefined
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

/** By the name of the package, the file that `npm pack` makes of it. */
function tarballsOf(folder: string): Readonly<Record<string, string>> {
  const files = filesOf(folder)
  return Object.fromEntries(
    PACKAGES.map((name) => {
      const file = `${name.replace('@', '').replace('/', '-')}-${packageVersion()}.tgz`
      if (!files.includes(file)) {
        throw new UsageError(`There is no ${file} in ${folder}: npm pack makes it in a clone.`)
      }
      return [name, file]
    }),
  )
}

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw new UsageError(`--packages ${folder} cannot be read: ${(error as Error).message}`)
  }
}
