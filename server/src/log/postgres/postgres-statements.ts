import { escapeIdentifier } from 'pg';

/** Each session prepares it once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export type Statements = ReturnType<typeof statementsFor>;

export function statementsFor(schema: string) {
  const to = escapeIdentifier(schema);
  return { ...recordStatements(to), ...trimStatements(to), ...leaseStatements(to) };
}

/** Where the primary of a workspace announces the newest sequence that is durable. */
export function announcementsOf(schema: string): {
  readonly name: string;
  readonly identifier: string;
} {
  return { name: schema, identifier: escapeIdentifier(schema) };
}

/** Announced by a primary that has let its lease go. */
export const RELEASED = 'released';

/** As many small groups as one answer has. */
const ROWS_MAX = 1_000;

/** A group of one chunk goes in one statement, which is a transaction by itself. */
function recordStatements(to: string) {
  const held = heldLease(to);
  return {
    held: statement('held', held),
    insertSegment: statement(
      'insert_segment',
      `insert into ${to}.segment (first, header) values ($1, $2)`,
    ),
    insertHeld: statement(
      'insert_held',
      `with held as materialized (${held})
        insert into ${to}.record (first, chunk, last, time, term, body)
        select $3, $4, $5, $6, $1, $7 from held`,
    ),
    groupTerm: statement(
      'group_term',
      `select (select term from ${to}.record where first = $1 and chunk = 0) as term,
        (select min(first) from ${to}.segment) as first`,
    ),
    // `octet_length` of what is not compressed reads no more than its length.
    readContents: statement(
      'read_contents',
      `select first, header, lease.term, lease.holder, newest.*
          from ${to}.segment, ${to}.lease, (
          select max(last) as last, sum(octet_length(body)) as bytes, max(time) as time
            from ${to}.record where first >= (select max(first) from ${to}.segment)) as newest
        order by first`,
    ),
    groupAt: statement(
      'group_at',
      `select first from ${to}.record where first <= $1 order by first desc limit 1`,
    ),
    rowsAfter: statement(
      'rows_after',
      `select first, chunk, body, case chunk when 0 then
          (select header from ${to}.segment where segment.first = sized.first) end as header from (
        select *, sum(octet_length(body)) over (order by first, chunk) as total from (
          select first, chunk, body from ${to}.record
            where (first, chunk) > ($1::bigint, $2::integer) and first <= $3
            order by first, chunk limit ${ROWS_MAX}) as page) as sized
        where total <= $4 or total = octet_length(body) order by first, chunk`,
    ),
    bounds: statement(
      'bounds',
      `select (select min(first) from ${to}.segment) as first,
        (select last from ${to}.record order by first desc limit 1) as last`,
    ),
    segments: statement('segments', `select first, header from ${to}.segment order by first`),
    // Something for the log of PostgreSQL, so that the commit waits for the standby; no lock.
    waitForStandby: statement(
      'wait_for_standby',
      `select pg_logical_emit_message(true, 'trellis', '')`,
    ),
    // It tells of what is durable already: to wait for the disk and the standby gains nothing.
    announce: statement(
      'announce',
      `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
    ),
  };
}

function trimStatements(to: string) {
  return {
    dropBefore: statement(
      'drop_before',
      `with held as materialized (${heldLease(to)}),
        gone as (delete from ${to}.segment where first < $3 and exists (select from held)),
        emptied as (delete from ${to}.record where first < $3 and exists (select from held))
        select pg_current_xact_id()::text as transaction from held`,
    ),
    mayStillSee: statement(
      'may_still_see',
      `select from pg_stat_activity where pid <> pg_backend_pid()
        and (datname = current_database() or datname is null)
        and greatest(age(backend_xmin), age(backend_xid)) >= age($1::xid8::xid) limit 1`,
    ),
    vacuum: statement('vacuum', `vacuum ${to}.record, ${to}.segment`),
  };
}

/** No row unless the lease is this one; until the transaction ends nobody else takes it. */
function heldLease(to: string): string {
  return `select from ${to}.lease where term = $1 and holder = $2 for key share`;
}

function leaseStatements(to: string) {
  return {
    confirmLease: statement(
      'confirm_lease',
      `update ${to}.lease set expires_at = expires_at returning term, holder`,
    ),
    takeLease: statement(
      'take_lease',
      `update ${to}.lease set term = term + 1, holder = $1,
          expires_at = clock_timestamp() + $2 * interval '1 millisecond'
        where expires_at < clock_timestamp() returning term`,
    ),
    renewLease: statement(
      'renew_lease',
      `update ${to}.lease set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
        where term = $1 and holder = $2`,
    ),
    raiseTerm: statement(
      'raise_term',
      `update ${to}.lease set term = case when term = $1 and holder = $2 then term + 1 else term end
        returning term, holder`,
    ),
    // Who follows hears of it, and need not wait for the next look.
    releaseLease: statement(
      'release_lease',
      `with released as (
        update ${to}.lease set expires_at = 'epoch' where term = $1 and holder = $2 returning term)
        select pg_notify($3, $4) from released`,
    ),
  };
}

function statement(name: string, text: string): Statement {
  return { name, text };
}
