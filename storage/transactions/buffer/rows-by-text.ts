// SPDX-License-Identifier: Apache-2.0

/** Up to this many rows are searched linearly. */
const SOUGHT_ONE_BY_ONE = 8

/**
 * Rows found by the texts of their keys. Most transactions write a few, and a Map would make V8 intern each text, which
 * takes longer than everything else here.
 */
export class RowsByText<Row extends { readonly text: string }> {
  readonly #rows: Row[] = []
  /** Created when there are enough rows to make it worthwhile. */
  #byText: Map<string, Row> | undefined

  /** In the order in which they were added. */
  get all(): readonly Row[] {
    return this.#rows
  }

  get(text: string): Row | undefined {
    if (this.#byText !== undefined) return this.#byText.get(text)
    for (const row of this.#rows) if (row.text === text) return row
    return undefined
  }

  /** One whose text no other row has. */
  add(row: Row): void {
    this.#rows.push(row)
    if (this.#byText !== undefined) this.#byText.set(row.text, row)
    else if (this.#rows.length > SOUGHT_ONE_BY_ONE) {
      this.#byText = new Map(this.#rows.map((one) => [one.text, one]))
    }
  }
}
