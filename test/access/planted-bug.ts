// SPDX-License-Identifier: Apache-2.0

/** A line of the access control that is broken on purpose. */
export type PlantedBug = {
  readonly name: string
  readonly file: string
  /** Stands in the file once. */
  readonly find: string
  readonly replace: string
  /** The folders of the tests that have to notice, or one test. */
  readonly folders: readonly string[]
}

/** In which random statements of two principals are compared: it has to notice what statements tell, by itself. */
export const CHIEF_TEST = 'server/guard/access/random-definitions.test.ts'

/** Makes bugs that the tests of these folders have to notice. */
export function plantedIn(...folders: readonly string[]) {
  return (name: string, file: string, find: string, replace: string): PlantedBug => {
    return { name, file, find, replace, folders }
  }
}
