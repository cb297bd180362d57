import Bluetooth
import Bytes
import Captures
import Conformance
import Conversation
import Dissection
import Hummingbird
import Output
import Workbench

/// Results computed from whole files: devices, tables, series, verdicts, incidents, products.
struct AnalysisRoutes {
    let session: WebSession

    func add(to router: RouterGroup<BasicRequestContext>) {
        router.get("files/:file/devices") { _, context in try devices(session.file(context)) }
        router.get("files/:file/tables") { _, context in
            let file = try session.file(context)
            let progress = file.jobs.statistics.ask()
            let survey = file.jobs.survey.ask()
            let tables = progress.outcome.map { ServerTables($0.outcome, survey.outcome) }
            let servers = tables?.servers(PacketLines(file.index)) ?? []
            return Response.json(.object(of: progress.and(survey).members + [("servers", .array(servers))]))
        }
        router.get("tables/difference") { request, _ in
            let (a, b) = (try server(request, "a"), try server(request, "b"))
            return Response.json(.members(["rows": .array(ServerTables.difference(a, b))]))
        }
        router.get("files/:file/series") { _, context in
            let file = try session.file(context)
            let survey = file.jobs.survey.ask()
            let list = survey.outcome.map { SeriesList($0, devices: file.index).json } ?? []
            return Response.json(.object(of: survey.members + [("series", .array(list))]))
        }
        router.get("files/:file/plots") { request, context in try plots(request, session.file(context)) }
        router.get("files/:file/verdicts") { request, context in
            try verdicts(request, session.file(context))
        }
        router.get("files/:file/incidents") { _, context in
            let progress = try session.file(context).jobs.explanation.ask()
            return Response.json(progress.members, "report", progress.outcome?.json)
        }
        router.post("waivers") { request, _ in
            let waiver = try await request.object()
            try session.add(waiver)
            return Response.json(.members([:]), .created)
        }
        router.get("files/:file/products") { _, context in
            let file = try session.file(context)
            let survey = file.jobs.survey.ask()
            let products = try survey.outcome.map { try ProductList($0, file.index).json } ?? []
            return Response.json(.object(of: survey.members + [("products", .array(products))]))
        }
    }

    // MARK: - Responses

    private func devices(_ file: OpenFile) throws -> Response {
        let progress = file.jobs.statistics.ask()
        let survey = file.jobs.survey.ask()
        var members = progress.and(survey).members
        if let counted = progress.outcome, let survey = survey.outcome {
            members.append(("advertised", .array(advertised(survey, counted.outcome, file))))
        }
        return Response.json(members, "statistics", progress.outcome?.json)
    }

    /// Maximum number of advertisers listed with their last advertisement.
    private static let advertiserLimit = 1000

    private func advertised(
        _ survey: Survey, _ outcome: StatisticsOutcome, _ file: OpenFile
    ) -> [JSONValue] {
        let rows = PacketLines(file.index)
        let devices = outcome.tracker.devices.devices
        return survey.advertisements.sorted { $0.key < $1.key }.prefix(Self.advertiserLimit).compactMap { key, last in
            guard devices.indices.contains(Int(key)), let address = devices[Int(key)].address,
                let info = rows.info(ofNumber: last.number)
            else { return nil }
            return .members([
                "address": .string("\(address.address)"), "number": .integer(last.number), "info": .string(info),
            ])
        }
    }

    /// The table named in a query: `1:0`.
    private func server(_ request: Request, _ name: String) throws -> ServerTables.Server {
        let text = request.text(name) ?? ""
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let id = Int32(parts[1]) else {
            throw WebFault(.badRequest, "\(name): expected a file and a server like 1:0")
        }
        guard let file = session.file(parts[0]) else { throw WebSession.noFile }
        guard let outcome = file.jobs.statistics.ask().outcome?.outcome else {
            throw WebFault(.conflict, "\(name): the tables are not known yet")
        }
        guard let server = ServerTables(outcome, nil).server(id) else {
            throw WebFault(.notFound, "\(name): there is no such server")
        }
        return server
    }

    private func plots(_ request: Request, _ file: OpenFile) throws -> Response {
        let ids = request.list("series")
        guard (1...8).contains(ids.count) else { throw WebFault(.badRequest, "series: expected one to eight") }
        let span = try request.span(of: file)
        let points = try request.integer("points", in: 1...10_000, or: 1000)
        let plots = try ids.map { id -> JSONValue in
            guard let name = SeriesName(id, session.catalog) else {
                throw WebFault(.badRequest, "series: there is no \(id)")
            }
            let job = file.plot(name, session.catalog).ask()
            let unit = name.field == nil ? "bytes/s" : name.field.flatMap { session.catalog[$0].first?.unit }
            let parts = job.outcome?.envelope(span, points: points) ?? []
            return .object(
                of: [("id", .string(id))] + job.members
                    + (unit.map { [("unit", .string($0))] } ?? []) + [
                        ("gap", .number(job.outcome?.gap ?? 0)),
                        (
                            "points",
                            .array(
                                parts.map {
                                    .array([
                                        .number($0.time), .number($0.lowest), .number($0.highest), .number($0.last),
                                        .integer($0.number), .integer($0.count),
                                    ])
                                })
                        ),
                    ])
        }
        return Response.json(
            .members([
                "from": .number(span.lowerBound), "to": .number(span.upperBound), "plots": .array(plots),
            ]))
    }

    private func verdicts(_ request: Request, _ file: OpenFile) throws -> Response {
        let asksOracle: Bool
        switch request.text("oracle") {
        case nil, "false": asksOracle = false
        case "true": asksOracle = true
        default: throw WebFault(.badRequest, "oracle: expected true or false")
        }
        let progress = (asksOracle ? file.jobs.comparison : file.jobs.check).ask()
        var members = progress.members
        members.append(("waivers", .boolean(session.options.waivers != nil)))
        if asksOracle { members.append(("oracle", .array(session.oracleRules.map { .string($0) }))) }
        return Response.json(members, "report", progress.outcome?.json)
    }
}
