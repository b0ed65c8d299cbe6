import type { AccessIndex } from '#access/access-index.ts';
import {
  DocumentExtractions,
  type DocumentExtractionsParts,
} from '#assistant/documents/document-extractions.ts';
import { type DocumentFeed, DocumentFollower } from '#assistant/documents/document-follower.ts';
import { timerAlarm } from '#base/clock.ts';
import type { Foundation } from './foundation.ts';
import { callerFor } from './tasks.ts';

export type DocumentArguments = Pick<
  DocumentExtractionsParts,
  'jobs' | 'models' | 'schema' | 'allowedModels'
> & {
  readonly access: AccessIndex;
  /** What is followed, which runs on a primary. */
  readonly changes: { readonly documents: DocumentFeed };
};

export interface Documents extends AsyncDisposable {
  readonly documents: DocumentExtractions;
  /** On a primary, once it serves. */
  readonly startDocuments: () => Promise<void>;
}

/** Documents that become nodes and edges, and the follower that takes back what they lose. */
export function buildDocuments(
  foundation: Foundation,
  { access, changes, ...asking }: DocumentArguments,
): Documents {
  const { reader, logger, preview } = foundation;
  const onFault = (err: unknown): void => logger.error({ err }, 'documents could not be read');
  const documents: DocumentExtractions = new DocumentExtractions({
    ...foundation,
    ...asking,
    reads: { reader, access },
    alarm: timerAlarm,
    callerFor: (user) => callerFor(reader, user),
    onDocuments: () => follower.again(),
    onFault,
  });
  const follower = new DocumentFollower({
    feed: changes.documents,
    reader,
    alarm: timerAlarm,
    watched: () => documents.watched(),
    look: (uid) => documents.look(uid),
    onFault,
  });
  return {
    documents,
    startDocuments: async () => {
      follower.start();
      // A copy of a workspace asks no model by itself.
      if (preview === null) await documents.recover();
    },
    [Symbol.asyncDispose]: async () => {
      await follower[Symbol.asyncDispose]();
      await documents[Symbol.asyncDispose]();
    },
  };
}
