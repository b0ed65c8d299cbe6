import { findSimilarNodes as operation } from '@trellis/contract/operations/embeddings.ts';
import { similarRoute } from '../../similar-route.ts';

export const findSimilarNodes = similarRoute(operation);
