// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'

/** Runs `npm install` in a folder, whose output is seen. Resolves to why it failed; undefined where it is done. */
export async function installPackages(folder: string): Promise<string | undefined> {
  const flags = ['--no-audit', '--no-fund', '--loglevel=error']
  const npm = spawn('npm', ['install', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    // npm is a script of the shell there.
    shell: process.platform === 'win32',
  })
  return await new Promise((resolve) => {
    npm.once('error', (error) => resolve(`npm cannot be run: ${error.message}.`))
    npm.once('close', (code) =>
      resolve(code === 0 ? undefined : 'npm could not install the packages.'),
    )
  })
}
