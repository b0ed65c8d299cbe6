import { ANYWHERE } from './anywhere.ts';
import { assistantTexts } from './assistant.ts';
import { codeTexts } from './code.ts';
import { definitionTexts } from './definitions.ts';
import { documentTexts } from './documents.ts';
import { duplicateTexts } from './duplicates.ts';
import { traceTexts } from './traces.ts';
import { goldenAnswerTexts } from './golden-answers.ts';
import { graphTexts } from './graph.ts';
import { identityTexts } from './identity.ts';
import { oauthTexts } from './oauth.ts';
import { PropertyTexts } from './property-texts.ts';
import { scimTexts } from './scim.ts';
import { searchTexts } from './search.ts';
import { serverTexts } from './server.ts';
import { connectorTexts } from './connectors.ts';
import { llmTexts } from './llm.ts';
import { webhookTexts } from './webhooks.ts';

export const ALL_TEXTS = [
  ...identityTexts,
  ...oauthTexts,
  ...graphTexts,
  ...codeTexts,
  ...definitionTexts,
  ...traceTexts,
  ...assistantTexts,
  ...llmTexts,
  ...goldenAnswerTexts,
  ...scimTexts,
  ...searchTexts,
  ...serverTexts,
  ...webhookTexts,
  ...connectorTexts,
  ...duplicateTexts,
  ...documentTexts,
];

export function propertyTexts(): PropertyTexts {
  return new PropertyTexts(ALL_TEXTS, ANYWHERE);
}
