import type { BackupTargetValue, LogThreshold, PreviewMode } from './parsers.ts';

/**
 * The settings, checked and with defaults filled in; none is secret. Paths may be relative to the
 * start folder.
 */
export interface Config {
  readonly role: 'primary' | 'replica';
  readonly http: {
    readonly host: string;
    /** 0 is any free port. */
    readonly port: number;
    /** Such as `https://app.example.com`; a replica's list includes the origin of its primary. */
    readonly corsOrigins: readonly string[];
    readonly useHsts: boolean;
    readonly redirectToHttps: boolean;
    /** Addresses and networks whose `X-Forwarded-For` is believed. */
    readonly trustedProxies: readonly string[];
  };
  /** URLs without a slash at the end. */
  readonly publicAddress: string | null;
  /** For calls between primary and replica; null also when set to nothing on purpose. */
  readonly serverAddress: string | null;
  readonly storageFolder: string;
  readonly backup: {
    /** Null when no target is set. */
    readonly target: BackupTargetValue | null;
    /** For a target in an object store; the endpoint null means AWS. */
    readonly s3: { readonly endpoint: string | null; readonly region: string };
    /** How many of the newest backups stay, and for how many days and weeks the newest of each. */
    readonly keep: { readonly last: number; readonly days: number; readonly weeks: number };
  };
  readonly lowMemory: boolean;
  /** Memory for adjacency in MiB; null when not set. */
  readonly graphMemoryMb: number | null;
  /** Budget of the search index in MiB; null when not set. */
  readonly searchMemoryMb: number | null;
  /** Threads that build the search index; null when not set. */
  readonly searchBuildThreads: number | null;
  readonly replication: {
    /** The address that a primary listens on. */
    readonly host: string;
    readonly port: number;
    /** The URL of the primary to follow; null on a primary. */
    readonly primaryAddress: string | null;
  };
  /** Null unless the log is in PostgreSQL. */
  readonly member: {
    readonly workspace: string;
    /** Null when not set. */
    readonly name: string | null;
  } | null;
  /** Absolute paths. */
  readonly connectorRoots: readonly string[];
  readonly log: { readonly level: LogThreshold; readonly folder: string | null };
  /** The share is from 0 to 1. */
  readonly endpointTraces: { readonly share: number; readonly keepsInputs: boolean };
  /** PEM text, or the path of a file with it. */
  readonly licensePublicKey: string | null;
  readonly sampleGraph: 'wordnet' | 'none';
  /** Null means the built-in front end. */
  readonly frontEndFolder: string | null;
  /** Whether MCP clients may register themselves. */
  readonly oauthRegistration: boolean;
  /** Null unless the workspace is a copy to try something in. */
  readonly preview: PreviewMode | null;
}

/** Each goes only to the part that uses it; never logged, never in a report. */
export interface Secrets {
  readonly jwtKey: string | null;
  /** The address of the log in PostgreSQL; null when it is in the storage folder. */
  readonly sharedLog: string | null;
  readonly graphMasterKey: string | null;
  readonly adminPassword: string | null;
  readonly backupAccessKey: string | null;
  readonly backupSecretKey: string | null;
  readonly smtpUrl: string | null;
  readonly license: string | null;
}
