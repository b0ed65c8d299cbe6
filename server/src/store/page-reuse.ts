import type { RootDatabase, Transaction } from 'lmdb';
import { PAGE_REUSE_DELAY_MS } from '#base/limits.ts';

type Root = RootDatabase<Uint8Array, Uint8Array>;

interface HeldTransaction {
  readonly transaction: Transaction;
  /** The commit that it sees. */
  readonly commit: number;
}

/**
 * Keeps LMDB from writing pages of an encrypted environment anew that were in use a moment ago.
 *
 * LMDB keeps such pages decrypted, 16 in a row, for as long as any transaction of the process has
 * one of the row, and does not notice when a page among them is written anew meanwhile
 * (`mdb_rpage_get`, and the end of a transaction, in liblmdb's mdb.c): where the transactions of
 * several threads overlap without a gap, a later one reads what was there before. A page is written
 * anew once no transaction can see its old content. So one is held here that reads nothing itself,
 * and is let go for a newer one only some seconds after the last that was as old has ended: what
 * those had decrypted has been given up by then. The file is greater by what is written in that
 * time.
 */
export class PageReuseDelay implements Disposable {
  readonly #root: Root;
  readonly #timer: NodeJS.Timeout;
  #held: HeldTransaction;
  #next: HeldTransaction;
  /** Whether the held one is the only one that is older than the next: all that begin are newer. */
  #isAlone = false;

  constructor(root: Root) {
    this.#root = root;
    this.#held = this.#begin();
    this.#next = this.#begin();
    this.#timer = setInterval(() => this.#advance(), PAGE_REUSE_DELAY_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#held.transaction.done();
    this.#next.transaction.done();
  }

  /** Each step is taken some time after the one before. */
  #advance(): void {
    if (!this.#isAlone) {
      const { commit } = this.#next;
      const older = commitsBeingRead(this.#root).filter((other) => other < commit);
      this.#isAlone = older.length <= 1;
      return;
    }
    this.#held.transaction.done();
    this.#held = this.#next;
    this.#next = this.#begin();
    this.#isAlone = false;
  }

  #begin(): HeldTransaction {
    this.#root.resetReadTxn();
    const transaction = this.#root.useReadTransaction();
    // What is read from here on is read by another one.
    this.#root.resetReadTxn();
    return { transaction, commit: Math.max(...commitsBeingRead(this.#root)) };
  }
}

/**
 * One for each transaction that reads, from LMDB's table of them: process, thread, and the commit
 * or a dash.
 */
function commitsBeingRead(root: Root): number[] {
  const rows = root.readerList().matchAll(/^\s*\d+\s+[\da-f]+\s+(\d+)\s*$/gim);
  return [...rows].map(([, commit]) => Number(commit));
}
