import { isDeepStrictEqual } from 'node:util';
import type { MemberOverview } from '@trellis/contract/shapes/member.ts';
import type { WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { Problem } from '#base/problem.ts';
import type { HttpServerOptions } from '#http/server.ts';
import type { HttpServices } from '#http/services.ts';
import type { Probes } from '#observe/health.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import type {
  LogReport,
  MembersSeen,
  MemberState,
  Takeover,
} from '#log/postgres/member-registry.ts';
import { ViewNotices } from '../view-notices.ts';
import type { LeaseEvents, SharedLogLease, SharedLogPlace } from '../writer/shared-log.ts';

/** What a member adds to the workspace that it opens, as the primary or as a follower. */
export interface MemberRole {
  readonly place: SharedLogPlace;
  readonly members: HttpServices['members'];
  /** Of the primary that the member knows. */
  readonly term: () => number;
  /** The primary has let its lease go. */
  readonly onLeaseReleased: () => void;
  /** What the metrics tell. */
  readonly figures: () => MemberFigures;
  /**
   * When it changes its role, requests have so long to finish. Clients that are cut off ask again,
   * at another member.
   */
  readonly stopGraceMs: number;
  /** How the common log is. */
  readonly probes: Probes;
  /** From when the role is open on. */
  readonly onOpen: (role: OpenRole) => void;
}

/** What a member and its open role have to tell each other. */
export interface OpenRole {
  /** How far the state is. */
  readonly sequence: () => number;
  /** Told when the members are not what they were. */
  readonly onSeen: () => void;
}

export interface MemberFigures {
  /** How often this run has become the primary. */
  readonly takeovers: number;
  /** How many operations each member is behind, by name; the primary tells it. */
  readonly lags: readonly { readonly name: string; readonly lag: number }[];
}

/** As an option of the HTTP server. */
export function stopGraceOf(role: MemberRole | undefined): Pick<HttpServerOptions, 'timeouts'> {
  return role === undefined ? {} : { timeouts: { stopGrace: role.stopGraceMs } };
}

/** While the role is open, the pages that it serves are told of the members. */
export function joinMembers(
  member: MemberRole | undefined,
  sequence: Pick<AppliedSequence, 'get'>,
  http: { broadcast(message: WebSocketMessage): void },
): Disposable {
  const views = new ViewNotices();
  views.tellBy((view) => http.broadcast({ type: 'VIEW_CHANGED', view }));
  member?.onOpen({
    sequence: () => sequence.get(),
    onSeen: () => views.changed('members'),
  });
  return views;
}

/** The role of the primary. */
export interface PrimaryMember extends MemberRole {
  readonly shared: SharedLogLease;
  readonly leaseEvents: LeaseEvents;
}

/** How many operations the others are behind one. */
export function lagsOf(
  seen: MembersSeen | undefined,
  { run, appliedSequence }: Pick<MemberState, 'run' | 'appliedSequence'>,
): MemberFigures['lags'] {
  const others = seen?.members.filter((member) => member.run !== run) ?? [];
  return others.map((other) => {
    return { name: other.name, lag: Math.max(0, appliedSequence - other.appliedSequence) };
  });
}

/** Of a server whose log is in its folder. */
export const NO_MEMBERS: HttpServices['members'] = {
  list: () => Promise.reject(membersOff()),
  stepDown: () => Promise.reject(membersOff()),
};

function membersOff(): Problem {
  return new Problem('members_off', 'The log of this server is in its own folder.');
}

/** A member is not counted on any more after this. */
export const MEMBER_SILENT_AFTER_MS = 5_000;

/** Whose the lease is: the name of a run, and how many leases it has had. */
export function holderOf(run: string, count: number): string {
  return `${run}/${count}`;
}

/** The member that holds the lease; undefined while nobody does. */
export function primaryOf({ lease, isLeaseExpired, members }: MembersSeen) {
  if (isLeaseExpired) return undefined;
  return members.find(({ run }) => lease.holder.startsWith(`${run}/`));
}

export function overviewOf(
  seen: MembersSeen,
  log: LogReport,
  takeovers: readonly Takeover[],
  now: number,
): MemberOverview {
  const primary = primaryOf(seen);
  return {
    term: seen.lease.term,
    primary: primary?.name ?? null,
    members: seen.members.map((member) => ({
      name: member.name,
      address: member.address,
      role: member === primary ? 'primary' : 'follower',
      appliedSequence: member.appliedSequence,
      lagVersions: Math.max(0, log.lastSequence - member.appliedSequence),
      lastSeenAt: new Date(now - member.silentMs).toISOString(),
      version: member.version,
    })),
    log: {
      engine: 'postgres',
      firstSequence: log.firstSequence,
      lastSequence: log.lastSequence,
      bytes: log.bytes,
      synchronous: seen.isSynchronous,
    },
    takeovers: takeovers.map(({ at, ...takeover }) => ({ ...takeover, at: at.toISOString() })),
  };
}

/** Whether a list of the members shows something else. */
export function areOthers(before: MembersSeen | undefined, after: MembersSeen): boolean {
  return before === undefined || !isDeepStrictEqual(shownOf(before), shownOf(after));
}

function shownOf({ members, ...seen }: MembersSeen): object {
  const shown = members.map(({ silentMs, ...member }) => {
    return { ...member, isSilent: silentMs >= MEMBER_SILENT_AFTER_MS };
  });
  return { ...seen, leaseLeftMs: 0, members: shown };
}

export function isNoPrimary(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'no_primary';
}
