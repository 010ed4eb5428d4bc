import { layer } from "../../../layers/http2/WrapperHttp2Client.ts"
import { http2ClientContract } from "./Http2Client.contract.ts"

http2ClientContract("wrapper", layer)
